"""Questions over a table's rows: the cheapest, how many, which fit, a value.

Begin at answering.py.
"""
