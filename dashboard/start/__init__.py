"""What a person sees first: how the workspace is doing, and what to do next."""
