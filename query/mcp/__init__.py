"""The Model Context Protocol: a company's knowledge for other programs. Begin reading at server.py.

Without Django's HTTP, which is query/api/mcp.py's; docs/programs.md tells what a program sees.
"""
