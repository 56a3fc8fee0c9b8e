#!/bin/sh
# Ask over the Model Context Protocol, in one request of its revision 2026-07-28.
set -eu

curl --fail-with-body --silent --show-error --no-buffer "$BASE_URL/tenants/me/mcp" \
    --header "Authorization: Bearer $TOKEN" \
    --header "Accept: application/json, text/event-stream" \
    --header "MCP-Protocol-Version: 2026-07-28" \
    --header "Mcp-Method: tools/call" \
    --header "Mcp-Name: ask" \
    --json '{
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {
            "name": "ask",
            "arguments": {"question": "'"$QUESTION"'"},
            "_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": {"name": "curl", "version": "1"},
                "io.modelcontextprotocol/clientCapabilities": {}
            }
        }
    }'
