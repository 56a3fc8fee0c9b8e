"""Google Drive: chosen folders, shared drives and single files.

connector.py  whose account it is, the picker, a sync: of everything, or of what has changed
listing.py    all that lies in what was chosen: folder by folder, and where shortcuts lead
changes.py    what the change logs say since the last sync, and when that is not enough
tree.py       what both know of folders, kept from sync to sync
fetching.py   a file becomes something that can be read: downloaded, or exported
drive.py      the API: what it is asked
answers.py    what is believed of its answers
problems.py   why something is not read, for the customer
"""
