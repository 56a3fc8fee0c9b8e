"""What callers do with accounts: one module a flow."""
