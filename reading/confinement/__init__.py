"""The confined process that reads files, and its permissions."""
