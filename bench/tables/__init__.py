"""Questions over twenty small sheets: whether what customers ask of a table is computed rightly.

Half of the sheets (held_out/) are read only to judge: nothing is mended for them. Begin at run.py.
"""
