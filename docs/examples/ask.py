"""Get a first answer with its sources, given a token. Needs: pip install requests"""

import os

import requests

BASE_URL = os.environ["BASE_URL"]  # https://agents.example.com
QUESTION = os.environ["QUESTION"]

service = requests.Session()
service.headers["Authorization"] = f"Bearer {os.environ['TOKEN']}"  # an API token will do

agents = service.get(f"{BASE_URL}/agents", timeout=30)
agents.raise_for_status()
agent = agents.json()[0]

response = service.post(
    f"{BASE_URL}/agents/{agent['id']}/query", json={"query": QUESTION}, timeout=120
)
response.raise_for_status()
answer = response.json()

print(answer["answer"])
if not answer["sources"]:
    print("Nothing in the documents fits this question.")
for number, source in enumerate(answer["sources"], start=1):
    print(f"[{number}] {source['source_file']}, {source['page_or_row']}")
