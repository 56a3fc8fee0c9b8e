"""What visitors asked in vain, and answering it there and then."""
