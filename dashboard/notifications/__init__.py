"""Notifications: the bell of every page, the list, and the settings for mails."""
