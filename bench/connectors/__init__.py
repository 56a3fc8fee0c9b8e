"""Every connector of an account, measured against its stand-in, and tried with software of others.

Begin reading at measure.py: how fast, how little is asked for when nothing has changed, what is
lost when a worker is killed, and what becomes of every fault. trials.py has what is particular to
each connector. The other files run what others wrote: real servers of a protocol (real_odoo.py,
list_servers.py), others' stand-ins (google_drive_mock.py, notion_through_prism.py)
and the providers' own clients (graph_client/).
"""
