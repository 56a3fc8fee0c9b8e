"""What happened: the bell of every page, the list, and what is mailed."""
