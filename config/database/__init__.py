"""The database engine: PostgreSQL, in which each statement says as whom it acts."""
