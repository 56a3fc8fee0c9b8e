"""The service as other people's programs see it: clients and chats against a running copy.

    python -m bench.system.programs.mcp_python

Start reading at mcp_python.py (MCP's official client, with a scripted person who signs in);
chat_client.py talks through /v1. bench/results/programs.md has the versions that were run and
their results.
"""
