"""The stored conversations between visitors and agents."""
