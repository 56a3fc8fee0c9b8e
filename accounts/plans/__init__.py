"""What a tenant has used of its plan: questions of a month, and the documents and passages that it
keeps. Its requests of a minute are limited in accounts/services/request_limits.py."""
