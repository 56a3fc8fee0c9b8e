"""An hour of mixed load while every process is killed at random, and a checker that trusts nobody.

Begin reading at __main__.py. The load (load.py) writes down what the service accepted, the killer
(kills.py) what it killed, the stand-ins what they were sent: all of it as lines of one file
(ledger.py). The checker (book.py, checking.py) reads that file, asks the database and the service,
and nothing else; that it can fail is shown by canaries.py.
"""
