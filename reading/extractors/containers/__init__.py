"""Files that hold files: archives, and messages with their attachments. Start at taking.py: how
much is taken out, and how what is left behind is told.
"""
