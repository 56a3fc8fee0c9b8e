#!/bin/sh
# A first answer with its sources, as JSON: of the whole workspace, without an agent.
set -eu

curl --fail-with-body --silent --show-error "$BASE_URL/agent/query" \
    --header "Authorization: Bearer $TOKEN" \
    --json "{\"query\": \"$QUESTION\"}"
