"""Questions over thirty small sheets: whether what customers ask of a table is computed rightly.

A third of them (held_out/) is read only to judge: nothing is mended for it. Begin at run.py.
"""
