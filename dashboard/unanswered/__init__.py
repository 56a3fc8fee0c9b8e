"""The questions that agents could not answer, and the forms to answer them."""
