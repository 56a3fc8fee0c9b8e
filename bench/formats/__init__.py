"""Whether what offices write is read whole: our readings beside independent ones, by format.
Start with __main__.py.
"""
