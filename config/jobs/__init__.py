"""Work that is handed to a worker, and the one Redis client."""
