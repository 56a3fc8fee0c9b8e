"""From passages to rows that are searched."""
