#!/bin/sh
# All agents of a workspace, one array a page: the Link header says where a list goes on.
set -eu

headers=$(mktemp)
trap 'rm "$headers"' EXIT
url="$BASE_URL/agents?limit=100"
while [ -n "$url" ]; do
    curl --fail-with-body --silent --show-error --dump-header "$headers" "$url" \
        --header "Authorization: Bearer $TOKEN"
    url=$(sed -n 's/^[Ll]ink: .*<\([^>]*\)>; rel="next".*/\1/p' "$headers" | tr -d '\r')
done
