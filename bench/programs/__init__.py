"""Programs that people have, against a running copy: what docs/programs.md promises them."""
