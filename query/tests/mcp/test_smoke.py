import json

import pytest

from accounts.tests.factories import client_of
from query.tests.factories import LIGHTHOUSE, index_texts
from query.tests.mcp.client import HANDSHAKE, MODERN, Program


@pytest.mark.parametrize("rev", [MODERN, HANDSHAKE])
def test_smoke(tenant, rev):
    source = index_texts(tenant, *LIGHTHOUSE, name="lighthouse.txt")
    p = Program(client_of(tenant), rev)
    if rev == HANDSHAKE:
        p.begin()
    else:
        print(p.result("server/discover"))
    print(json.dumps(p.result("tools/list"), indent=1))
    a = p.data("ask", question="How much does a guided visit cost?")
    print(a)
    s = p.data("search", query="How much does a guided visit cost?")
    print(s)
    print(p.data("list_agents"), p.data("list_sources"))
    print(p.data("read_source_passage", passage_id=s["passages"][0]["passage_id"]))
    print(p.result("resources/list"), p.result("resources/templates/list"))
    print(p.result("resources/read", {"uri": f"knowledge://sources/{source.pk}"}))
    print(
        p.failure("ask", question=""),
        p.failure("ask", question="x", agent="nobody"),
        p.failure("ask", foo=1),
    )
