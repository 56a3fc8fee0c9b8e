#!/bin/sh
# The answer as events, while it is written: sources, delta after delta, done.
set -eu

curl --fail-with-body --silent --show-error --no-buffer "$BASE_URL/agent/query" \
    --header "Authorization: Bearer $TOKEN" \
    --header "Accept: text/event-stream" \
    --json "{\"query\": \"$QUESTION\"}"
