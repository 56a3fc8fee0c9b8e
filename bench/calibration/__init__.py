"""Fits the weights that ship in query/search/calibration."""
