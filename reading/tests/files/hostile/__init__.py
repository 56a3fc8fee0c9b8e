"""Files made to break whoever reads them, and the answer that each must get."""
