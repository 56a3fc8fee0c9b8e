"""The confined process that reads files, and what it may do."""
