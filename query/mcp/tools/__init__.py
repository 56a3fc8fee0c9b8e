"""The tools that a program may call: one module a tool (interface.py), one line each in
registry.py.
"""
