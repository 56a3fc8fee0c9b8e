"""The service as other people's programs see it: MCP's suites and clients, against a running copy.

Begin reading at conformance.py (the official suite) and mcp_python.py (the official client, with a
scripted person who signs in). The packages of npm are not ours to keep: NODE_FOLDER says where they
are; results/programs.md says which versions were run, and what came of it.
"""
