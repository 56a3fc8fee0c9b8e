"""The way from passages to rows that are searched."""
