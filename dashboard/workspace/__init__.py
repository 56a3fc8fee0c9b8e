"""The workspace itself: its people, tokens, company, plan, settings, export and end."""
