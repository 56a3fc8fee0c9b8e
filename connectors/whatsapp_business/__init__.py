"""WhatsApp Business: what a business itself publishes there, never what its customers write.

connector.py   what can be chosen, and the sync
graph.py       calls of Meta's Graph API
problems.py    why something could not be read
published.py   profile, templates and products become texts
"""
