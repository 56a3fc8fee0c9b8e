"""How much of a file of each format is read, beside independent readers: `python -m bench.formats`.

Start reading at __main__.py. Files made here are also read by bench/tests/test_made_files.py.
"""
