"""Notifies a tenant's people: in their dashboard, and by mail if they want it."""
