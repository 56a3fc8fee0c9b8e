"""Mail backends: to a server, or to files."""
