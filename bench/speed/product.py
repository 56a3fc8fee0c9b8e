"""The product as a contestant: a copy of its own, a tenant whom no limit stops, and its API."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.service import Service, make_client, manage
from bench.speed.load import Request, Served, send

Hit = tuple[str, int]  # file and page, 0 where it has none

PLAN = "enterprise"
REQUESTS_A_MINUTE = 1_000_000
# The cheapest address that knows who is calling: it shows what was read to know it
EMPTY_PATH = "/auth/me"
PAGE = re.compile(r"page (\d+)")


class Product:
    """A new tenant of a running copy, filled by its admin and asked with an API token, as a
    customer's server asks."""

    def __init__(self, service: Service, slug: str) -> None:
        raise_limits(service)
        self.port, self.pid = service.port, service.pid
        client = make_client(service, slug, plan=PLAN)
        body = json.dumps({"name": "benchmark"}).encode()
        made = client.request("POST", "/tenants/me/api-tokens", body)
        self._admin = {"Authorization": f"Bearer {client.token}"}  # for 15 minutes
        self._headers = {"Authorization": f"Bearer {made.body['token']}"}

    def upload(self, paths: Sequence[Path], *, clients: int) -> Served:
        path = "/ingest/sources/upload"
        requests = [Request("POST", path, file=str(file), headers=self._admin) for file in paths]
        return send(self.port, requests, clients=clients)

    def search(self, question: str) -> Request:
        body = json.dumps({"query": question})
        return Request("POST", "/agent/query", body, headers=self._headers)

    def empty(self) -> Request:
        return Request("GET", EMPTY_PATH, headers=self._headers)


def raise_limits(service: Service) -> None:
    change = f"update(max_requests_per_minute={REQUESTS_A_MINUTE})"
    code = f"from accounts.models import Plan; Plan.objects.filter(slug='{PLAN}').{change}"
    manage(service, "shell", "-c", code)


def product_hits(body: Any) -> list[Hit]:
    return [(row["source_file"], page_of(row["page_or_row"])) for row in body["sources"]]


def page_of(location: str) -> int:
    found = PAGE.search(location)
    return int(found[1]) if found else 0
