#!/bin/sh
# An agent as a model, over OpenAI's protocol. AGENT is the agent's id, or its name.
set -eu

curl --fail-with-body --silent --show-error "$BASE_URL/v1/chat/completions" \
    --header "Authorization: Bearer $TOKEN" \
    --json '{
        "model": "'"$AGENT"'",
        "messages": [{"role": "user", "content": "'"$QUESTION"'"}]
    }'
