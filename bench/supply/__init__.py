"""What we ship that others have made: pinned with hashes (locking.py), listed (bill.py), under
licences that we may ship (licences.py), and looked up in what is known of it (advisories.py).

`python -m bench.supply` does what CI does. Why: docs/decisions/0040-what-we-ship.md.
"""
