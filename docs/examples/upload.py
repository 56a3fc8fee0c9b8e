"""Upload a file once, however often the request has to be sent. Needs: pip install requests

Sources are an admin's: this logs in as one. An Idempotency-Key stands for one upload. Keep it with
the file, and send the same one again after a connection that broke, or an answer that never came.
"""

import os
import time
import uuid
from pathlib import Path

import requests

BASE_URL = os.environ["BASE_URL"]
FILE = Path(os.environ["FILE"])
TRIES = 5

login = requests.post(
    f"{BASE_URL}/auth/login",
    json={"email": os.environ["EMAIL"], "password": os.environ["PASSWORD"]},
    timeout=30,
)
login.raise_for_status()
headers = {
    "Authorization": f"Bearer {login.json()['access_token']}",
    "Idempotency-Key": str(uuid.uuid4()),
}

for attempt in range(1, TRIES + 1):
    try:
        response = requests.post(
            f"{BASE_URL}/ingest/sources/upload",
            files={"file": (FILE.name, FILE.read_bytes())},
            headers=headers,
            timeout=320,  # seconds: it is answered when the file is indexed
        )
    except (requests.ConnectionError, requests.Timeout):
        if attempt == TRIES:
            raise
        time.sleep(attempt)
        continue
    if "Retry-After" not in response.headers:
        break
    time.sleep(int(response.headers["Retry-After"]))
response.raise_for_status()
source = response.json()
print(f"{source['name']}: {source['sync_status']}, {source['chunks_count']} passages")
