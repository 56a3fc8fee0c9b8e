"""The activity log for admins: who did what, when and from where."""
