"""People who want to buy, and what came of each."""
