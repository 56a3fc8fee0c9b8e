"""Every connector of an account, against its stand-in: how fast, how little it asks for when
nothing has changed, what is lost when its worker is killed, and what becomes of every fault.

Begin reading at measure.py, which is run; trials.py has what is particular to each.
"""
