"""Data that leaves: archives of it, erasing it, and deleting what has expired.

Start with `erasing.py`, which erases a person, and `exporting.py`, which makes the archive of a
workspace; `person_exports.py` and `person_archive.py` make that of a person, and
`archives.py` has what both need. `receipts.py` proves
what was erased, and `expiry.py` deletes old rows. Asking for any of it is in
`accounts/services/leaving/`.
"""
