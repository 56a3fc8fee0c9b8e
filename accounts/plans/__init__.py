"""The limits of a plan, and how much of them a tenant has used.

Start with `usage.py`: questions of a month, documents and passages that are kept. `requests.py`
limits the requests of a minute.
"""
