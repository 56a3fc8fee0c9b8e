"""Use cases of accounts: one module a flow."""
