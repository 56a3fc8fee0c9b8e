"""Stand-ins for the services that the kinds read; what they have in common is in
sources/tests/providers/."""
