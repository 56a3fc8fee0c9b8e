"""All agents of a workspace, page by page. Needs: pip install requests

A list is one array; where it goes on, the answer's Link header says where.
"""

import os

import requests

url: str | None = f"{os.environ['BASE_URL']}/agents?limit=100"
while url:
    response = requests.get(
        url, headers={"Authorization": f"Bearer {os.environ['TOKEN']}"}, timeout=30
    )
    response.raise_for_status()
    for agent in response.json():
        print(agent["id"], agent["name"])
    url = response.links.get("next", {}).get("url")
