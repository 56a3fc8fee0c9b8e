"""What is an origin, and in which form it is kept."""

from typing import Any

import pytest

from agents.errors import InvalidAgentConfig
from agents.origins import normalize_origins


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("https://shop.example", "https://shop.example"),
        ("HTTPS://Shop.Example", "https://shop.example"),
        ("https://shop.example:443", "https://shop.example"),
        ("http://shop.example:80", "http://shop.example"),
        ("http://shop.example:443", "http://shop.example:443"),
        ("http://localhost:03000", "http://localhost:3000"),
        ("http://127.0.0.1:8000", "http://127.0.0.1:8000"),
        ("http://[0:0::1]:8000", "http://[::1]:8000"),
        ("https://tienda-niño.example", "https://xn--tienda-nio-19a.example"),
        ("https://XN--TIENDA-NIO-19A.example", "https://xn--tienda-nio-19a.example"),
    ],
)
def test_an_origin_is_kept_as_browsers_send_it(given: str, kept: str):
    assert normalize_origins([given]) == [kept]


@pytest.mark.parametrize(
    "given",
    [
        "",
        "*",
        "null",
        "shop.example",
        "//shop.example",
        "ftp://shop.example",
        "https://",
        "https:///",
        "https://shop.example/",
        "https://shop.example/chat",
        "https://shop.example?a=b",
        "https://shop.example#a",
        "https://ana@shop.example",
        "https://ana:secret@shop.example",
        "https://*.shop.example",
        "https://shop.example.",
        "https://.example",
        "https://-shop.example",
        "https://shop_1.example",
        "https://shop.example:",
        "https://shop.example:0",
        "https://shop.example:65536",
        "https://shop.example:٣",
        "https://shop.example\\chat",
        "https://shop%2eexample",
        "https://shop.example／chat",
        " https://shop.example",
        "https://shop.example\n",
        "https://shop .example",
        "https://shop.example, https://b.example",
        "https://1.2.3",
        "https://1.2.3.256",
        "http://[::1",
        "http://[::g]",
        "https://a\0.example",
        "https://\ud800.example",
        f"https://{'a.' * 150}example",
    ],
)
def test_anything_else_is_refused(given: str):
    with pytest.raises(InvalidAgentConfig) as raised:
        normalize_origins(["https://shop.example", given])

    assert raised.value.message == (
        f'allowed_origins: "{given[:300]}" is not an origin.'
        " Allowed is scheme://host[:port], http or https, and nothing after it."
    )


def test_each_is_kept_once_in_its_place():
    given = ["https://b.example", "https://a.example", "https://B.example:443"]

    assert normalize_origins(given) == ["https://b.example", "https://a.example"]


def test_fifty_are_enough():
    fifty = [f"https://shop-{number}.example" for number in range(50)]
    assert normalize_origins([*fifty, *fifty]) == fifty

    with pytest.raises(InvalidAgentConfig, match=r"allowed_origins: At most 50 are allowed\."):
        normalize_origins([*fifty, "https://one-more.example"])


def test_the_api_keeps_them_so_and_refuses_all_for_one(admin_api: Any):
    def put(*origins: str) -> Any:
        return admin_api.put(f"/agents/{agent}", {"allowed_origins": origins}, "json")

    agent = admin_api.post("/agents", {"name": "Sales"}, "json").json()["id"]

    assert put("https://A.example", "https://a.example").json()["allowed_origins"] == [
        "https://a.example"
    ]
    refused = put("https://b.example", "https://b.example/")
    assert (refused.status_code, refused.json()["error"]["code"]) == (400, "INVALID_AGENT_CONFIG")
    shown = admin_api.get(f"/agents/{agent}").json()
    assert shown["allowed_origins"] == ["https://a.example"]
