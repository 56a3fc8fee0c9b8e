"""An API that is busy, broken or closed to us."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from accounts.models import Tenant
from connectors.json_api.connector import JsonApiConnector
from connectors.tests.json_api.help_centre import (
    ALWAYS,
    HelpCentre,
    Open,
    read,
)
from sources.errors import OriginUnavailable, ReauthRequired, SyncFailed
from sources.models import Source
from sources.tests.connectors.context import FakeRun
from sources.tests.providers.server import Answer, Call, Reply, cut_in_half, json_reply

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    "fault",
    [Reply(429, headers={"Retry-After": "0"}), Reply(500), cut_in_half, Reply(200, b'[{"id":')],
)
def test_a_page_that_fails_once(centre: HelpCentre, fault: Any) -> None:
    """What came is not JSON: the next try of the sync may find better."""
    centre.fill(25)
    centre.fail("GET", fault, after=1)
    if isinstance(fault, Reply) and fault.status == 200:
        with pytest.raises(OriginUnavailable, match="cannot be read"):
            read(centre)
    else:
        assert len(read(centre)) == 25
        assert len(centre.calls) == 3


def test_an_api_that_fails_for_good_or_is_down_may_be_back(centre: HelpCentre) -> None:
    centre.fail("GET", Reply(500), times=ALWAYS)
    with pytest.raises(OriginUnavailable, match="It answers with HTTP 500"):
        read(centre)
    with centre.down(), pytest.raises(OriginUnavailable):
        read(centre)


def test_a_token_that_is_taken_away_in_the_middle(centre: HelpCentre) -> None:
    centre.fill(25)

    def revoke(call: Call, answer: Callable[[Call], Reply]) -> Reply:
        reply = answer(call)
        centre.token = "another"
        return reply

    centre.fail("GET", revoke)
    with pytest.raises(ReauthRequired, match="no longer accepts the connected account"):
        read(centre)


def test_a_token_without_the_right(centre: HelpCentre) -> None:
    centre.may_read = False
    with pytest.raises(SyncFailed, match="Check what the connected account may read"):
        read(centre)


def test_a_source_without_an_address_says_so(tenant: Tenant) -> None:
    source = Source.objects.for_tenant(tenant).create(name="Old", source_type="api")
    with pytest.raises(ReauthRequired, match="No address is connected"):
        list(JsonApiConnector().read(source, FakeRun()))


def behind_the_first(later: object) -> Callable[[Call, Answer], Reply]:
    """The server's own first page, and `later` for each that follows."""

    def reply(call: Call, answer: Answer) -> Reply:
        is_later = {"page", "offset", "after"} & call.query.keys()
        return json_reply(later) if is_later else answer(call)

    return reply


@pytest.mark.parametrize("paging", ["next", "cursor", "page", "offset"])
@pytest.mark.parametrize("later", [{"error": "Timed out."}, {}, {"message": "Busy", "data2": []}])
def test_a_page_without_its_list_is_an_error_and_no_end(
    open_centre: Open, paging: str, later: object
) -> None:
    """It comes with status 200. Taken for an empty list, it would remove all that follows."""
    server = open_centre(paging=paging)
    server.fill(45)
    server.fail("GET", behind_the_first(later), times=ALWAYS)

    with pytest.raises(SyncFailed, match="no list"):
        read(server)


@pytest.mark.parametrize(
    ("paging", "later"),
    [("page", {"results": None}), ("offset", {"results": []}), ("cursor", {"items": None})],
)
def test_a_list_that_is_null_behind_the_last_page_is_its_end(
    open_centre: Open, paging: str, later: object
) -> None:
    server = open_centre(paging=paging)
    server.fill(45)
    server.fail("GET", behind_the_first(later), times=ALWAYS)

    assert 0 < len(read(server)) < 45
