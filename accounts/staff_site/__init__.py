"""The back office's own doors: logging in, a second factor, sessions, proving it once more. Start
in `site.py`; what somebody may do once they are in stands in `accounts/admin/`."""
