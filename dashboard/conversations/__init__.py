"""What visitors and agents said to each other, where it is kept."""
