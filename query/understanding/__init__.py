"""What a message says: its words, what it asks for, the day that it means."""
