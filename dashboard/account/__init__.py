"""A person's own account: language, password, second factor, sessions, and leaving a workspace."""
