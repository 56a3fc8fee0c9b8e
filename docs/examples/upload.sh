#!/bin/sh
# Upload a file once, however often curl has to try. Sources are an admin's: TOKEN is an admin's
# access token, of POST /auth/login.
set -eu

key=$(cat /proc/sys/kernel/random/uuid)
curl --fail-with-body --silent --show-error "$BASE_URL/ingest/sources/upload" \
    --retry 5 --retry-all-errors \
    --header "Authorization: Bearer $TOKEN" \
    --header "Idempotency-Key: $key" \
    --form "file=@$FILE"
