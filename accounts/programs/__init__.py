"""The protocol of our OAuth 2.1 authorization server, on Authlib: what a program says is read here,
and what it gets. Services decide and write.

Start with `server.py`, which Authlib calls. `consents.py` reads what a program asks of a person,
`access.py` gives and takes back, `clients.py`, `published.py` and `redirects.py` say which programs
there are and where they may be sent back to, and `discovery.py` describes the server to them.

Sources, all read 2026-11-23: RFC 6749, 7009, 7591, 7636 (S256 alone), 8252, 8414, 8707, 9207, 9728;
MCP's "Authorization", revision 2026-07-28.
"""
