"""What Notion's faults lead to: a reason, and nothing that is lost."""

from __future__ import annotations

import json
from typing import Any

import pytest

from connectors.notion import walking
from connectors.tests.notion.account import NotionAccount, Shop, asked, one_of, told
from connectors.tests.providers.notion_blocks import (
    attached,
    paragraph,
    synced,
    synced_copy,
)
from connectors.tests.providers.notion_rules import rate_limited, refusal
from reading.passages import ReadDocument
from reasons import Reason
from sources.errors import AskedToWait, OriginUnavailable, SyncFailed
from sources.tests.providers.server import Call, Reply, cut_in_half, json_reply


def json_of(reply: Reply) -> Any:
    return json.loads(reply.body)


@pytest.mark.parametrize(
    "fault",
    [
        rate_limited(after_seconds=0),
        refusal(409, "conflict_error"),
        refusal(500, "internal_server_error"),
        refusal(529, "service_overload"),
        cut_in_half,
    ],
)
@pytest.mark.parametrize("where", ["/search", "/children"])
def test_what_passes_is_tried_again(
    account: NotionAccount, shop: Shop, where: str, fault: Any
) -> None:
    account.server.fail(where, fault)
    assert [kind for kind, _ in told(account.sync())].count("read") == 4


def test_notion_may_ask_for_minutes(account: NotionAccount, shop: Shop) -> None:
    account.server.budget, account.server.window_seconds = 1, 300.0
    with pytest.raises(AskedToWait) as caught:
        account.sync()
    assert 290 <= caught.value.wait_seconds <= 300
    assert asked(account.server) == ["POST search", "POST data_sources query"]


@pytest.mark.parametrize("where", ["/search", "/query", "/children"])
def test_an_error_that_stays_ends_the_sync(account: NotionAccount, shop: Shop, where: str) -> None:
    account.server.fail(where, refusal(502, "bad_gateway"), times=100)
    with pytest.raises(OriginUnavailable, match="Notion does not answer"):
        account.sync()


def test_a_provider_that_is_down_ends_the_sync(account: NotionAccount, shop: Shop) -> None:
    with account.server.down(), pytest.raises(OriginUnavailable):
        account.sync()


MALFORMED = [
    Reply(200, b"<html>Sorry</html>"),
    Reply(200, b"[" * 100_000),
    json_reply(None),
    json_reply({"results": None, "has_more": False}),
    json_reply({"results": [], "has_more": True, "next_cursor": None}),
    json_reply({"results": [], "has_more": True, "next_cursor": 7}),
]


@pytest.mark.parametrize("answer", MALFORMED)
@pytest.mark.parametrize("where", ["/search", "/children"])
def test_what_is_no_list_removes_nothing(
    account: NotionAccount, shop: Shop, where: str, answer: Reply
) -> None:
    account.sync()
    account.server.workspace.touch(shop.returns)
    account.server.fail(where, answer, times=100)
    with pytest.raises(OriginUnavailable):
        account.sync()


HOSTILE: list[object] = [
    None,
    7,
    "page",
    {"object": "page"},
    {"object": "page", "id": "../../v1/users/me"},
    {"object": "comment", "id": "00000000-0000-0000-0000-000000000001"},
]


def test_what_is_no_page_is_passed_over(account: NotionAccount, shop: Shop) -> None:
    def spoil(call: Call, answer: Any) -> Reply:
        whole = json_of(answer(call))
        return json_reply({**whole, "results": [*HOSTILE, *whole["results"]]})

    account.server.fail("/search|/query", spoil, times=100)
    assert len(account.sync()) == 5


def test_a_page_of_which_nothing_is_as_published_is_still_a_page(account: NotionAccount) -> None:
    page_id = "00000000-0000-0000-0000-000000000001"
    page = {
        "object": "page",
        "id": page_id,
        "parent": {"type": "page_id", "page_id": page_id},
        "last_edited_time": "\0" + "9" * 10_000,
        "url": "javascript:alert(1)",
        "properties": {"a": 1, "b": {"type": "title", "title": [None, {"plain_text": 3}]}},
    }
    blocks: list[object] = [
        None,
        {"type": {}},
        {"type": "paragraph", "paragraph": 7},
        {"type": "bookmark", "bookmark": {"url": "http://169.254.169.254/latest"}},
        {"type": "image", "image": {"external": {"url": "http://169.254.169.254/"}}},
        {"type": "paragraph", "id": page_id, "has_children": True},
        {"type": "toggle", "id": "../../users", "has_children": True},
        {"type": "quote", "quote": {"rich_text": [{"plain_text": "Here\0 I am."}, 1, None]}},
    ]
    account.server.fail("/search", json_reply({"results": [page], "has_more": False}))
    account.server.fail("/children", json_reply({"results": blocks, "has_more": False}))

    [item] = account.sync()

    assert isinstance(item, ReadDocument)
    assert (item.title, item.place, item.etag) == ("Untitled", "Untitled", "")
    assert item.link == "https://www.notion.so/00000000000000000000000000000001"
    assert [passage.text for passage in item.passages] == ["Here I am."]
    assert asked(account.server) == ["POST search", "GET blocks children"]


def test_an_answer_without_end_is_refused(account: NotionAccount, shop: Shop) -> None:
    account.server.fail("/search", Reply(200, b" " * (11 * 2**20)))
    with pytest.raises(SyncFailed, match="larger than 10 MB"):
        account.sync()


def test_an_application_that_may_not_read_content_says_so(
    account: NotionAccount, shop: Shop
) -> None:
    account.server.reads_content = False
    reason = Reason("notion_page_forbidden")
    assert (reason, "Handbook / Returns") in told(account.sync())


def test_a_page_without_end_is_refused(
    account: NotionAccount, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(walking, "BLOCKS_MAX", 3)
    account.server.workspace.write(shop.returns, *(paragraph("Again.") for _ in range(4)))
    assert (walking.TOO_LARGE, "Handbook / Returns") in told(account.sync())

    account.sync()
    assert account.server.calls_to(f"/{shop.returns}/children") == []


def test_what_was_not_read_of_a_page_is_told(account: NotionAccount, shop: Shop) -> None:
    other = account.server.workspace.add_page("Private", synced(paragraph("Ours alone.")))
    original = account.server.workspace.blocks_in(other)[0]["id"]
    account.server.workspace.write(
        shop.returns,
        paragraph("See the form."),
        attached("pdf", "form.pdf"),
        attached("file", "form.docx"),
        attached("image", "form.png", caption="The form"),
        synced_copy(original),
    )
    account.server.workspace.unshare(other)

    returns = one_of(account.sync(), shop.returns)
    assert isinstance(returns, ReadDocument)
    assert list(map(str, returns.warnings)) == [
        "Not read: 2 attached files, 1 image, 1 block of a page that is not shared."
    ]
    assert returns.passages[0].text == "See the form.\nThe form"
