"""The pages of sources: their list, their state, and how to add more."""
