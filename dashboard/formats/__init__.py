"""How dates are written: the month as a word, for 2/3 is not the same day everywhere."""
