"""The service as other people's programs see it: suites, clients and chats against a running copy.

    NODE_FOLDER=… python -m bench.system.programs.conformance

Begin reading at conformance.py (MCP's official suite) and mcp_python.py (its official client, with
a scripted person who signs in); chat_client.py talks through /v1. The packages of npm are not ours
to keep: NODE_FOLDER says where they are; bench/results/programs.md says which versions were run,
and what came of it.
"""
