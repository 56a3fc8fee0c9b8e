"""Connected accounts: connecting them, choosing their content, and disconnecting them. Begin at
views.py."""
