"""The answer word by word, while it is written. Needs: pip install requests"""

import json
import os
from collections.abc import Iterator
from typing import Any

import requests


def read_events(response: requests.Response) -> Iterator[tuple[str, dict[str, Any]]]:
    """Name and data of each event: `sources`, any number of `delta`, then `done` or `error`."""
    name = ""
    for line in response.iter_lines():
        field, _, value = line.decode().partition(": ")
        if field == "event":
            name = value
        elif field == "data":
            yield name, json.loads(value)


with requests.post(
    f"{os.environ['BASE_URL']}/agent/query",
    json={"query": os.environ["QUESTION"]},
    headers={"Authorization": f"Bearer {os.environ['TOKEN']}", "Accept": "text/event-stream"},
    stream=True,
    timeout=120,
) as response:
    response.raise_for_status()
    for name, data in read_events(response):
        if name == "delta":
            print(data["text"], end="", flush=True)
        elif name == "done":
            print("\nFrom:", ", ".join(source["source_file"] for source in data["sources"]))
        elif name == "error":
            raise SystemExit(f"\nIt broke off: {data['error']}")
