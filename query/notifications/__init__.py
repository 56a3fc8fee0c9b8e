"""What a tenant's people are told of: in their dashboard, and by mail if they want it."""
