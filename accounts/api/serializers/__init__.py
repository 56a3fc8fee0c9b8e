"""JSON of the account endpoints: one module a module of views."""
