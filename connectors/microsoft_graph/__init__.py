"""OneDrive and SharePoint, through Microsoft Graph v1.0 (learn.microsoft.com/graph/api/overview,
read 2026-11-22). Begin reading at connector.py.

graph.py    what is asked of Graph
items.py    what it answers of a file or a folder
chosen.py   what somebody chose: drives, sites, folders
listing.py  from the feeds of changes to the documents that are to be read
picker.py   what can be chosen, and how much it is
"""
