"""Where people may be sent back to."""

import pytest

from accounts.programs.redirects import is_registered, may_register


@pytest.mark.parametrize(
    "uri",
    [
        "https://claude.ai/api/mcp/auth_callback",
        "https://program.example:8443/back?kind=mcp",
        "http://127.0.0.1/callback",
        "http://127.0.0.1:33418/",
        "http://localhost:6274/oauth/callback/debug",
        "http://[::1]:8080/back",
        "cursor://anysphere.cursor-mcp/oauth/callback",
    ],
)
def test_these_may_be_registered(uri: str) -> None:
    assert may_register(uri)
    assert is_registered(uri, [uri])


@pytest.mark.parametrize(
    "uri",
    [
        "",
        "back",
        "/back",
        "//evil.example/back",
        "https:",
        "https:///back",
        "http://program.example/back",
        "http://127.0.0.1.evil.example/back",
        "http://localhost.evil.example/back",
        "http://0.0.0.0/back",
        "http://127.0.0.2/back",
        "http://[::1/back",
        "http://127.0.0.1:port/back",
        "http://127.0.0.1:99999/back",
        "https://program.example/back#here",
        "https://program.example/back#",
        "https://ana@program.example/back",
        "https://ana:secret@program.example/back",
        "https://program.example\\@evil.example/back",
        "https://program.example/b ack",
        "https://program.example/back\n",
        "https://program.example/\x00",
        "https://progr\u00e4m.example/back",
        "javascript:alert(1)",
        "JavaScript:alert(1)",
        "java\tscript:alert(1)",
        "data:text/html,x",
        "file:///etc/passwd",
        "blob:https://program.example/1",
        "vbscript:x",
        "ftp://program.example/back",
        "ws://program.example/back",
        "intent://back",
        "myapp://back",
        "com.example.app:/oauth/back",
        "vscode://vscode.github-authentication/did-authenticate",
        "cursor://anysphere.cursor-deeplink/mcp/install?name=x&config=e30",
        "cursor://anysphere.cursor-mcp/mcp/install?name=x&config=e30",
        "cursor://anysphere.cursor-mcp/oauth/callback?name=x",
        "cursor://anysphere.cursor-mcp/oauth/callback/",
        "cursor://anysphere.cursor-mcp/oauth/../mcp/install",
        "CURSOR://anysphere.cursor-mcp/oauth/callback",
        "https://program.example/" + "x" * 500,
    ],
)
def test_these_may_not(uri: str) -> None:
    assert not may_register(uri)


@pytest.mark.parametrize(
    ("given", "registered"),
    [
        ("http://127.0.0.1:5001/back", "http://127.0.0.1/back"),
        ("http://127.0.0.1:5001/back", "http://127.0.0.1:4000/back"),
        ("http://[::1]:5001/back", "http://[::1]/back"),
        ("http://localhost:5001/back?a=b", "http://localhost/back?a=b"),
    ],
)
def test_any_port_of_the_persons_own_machine_will_do(given: str, registered: str) -> None:
    assert is_registered(given, [registered])


@pytest.mark.parametrize(
    ("given", "registered"),
    [
        ("http://127.0.0.1:5001/other", "http://127.0.0.1/back"),
        ("http://127.0.0.1:5001/back?a=b", "http://127.0.0.1/back"),
        ("http://localhost:5001/back", "http://127.0.0.1/back"),
        ("http://127.0.0.1:5001/back#here", "http://127.0.0.1/back"),
        ("http://ana@127.0.0.1:5001/back", "http://127.0.0.1/back"),
        ("https://127.0.0.1:5001/back", "http://127.0.0.1/back"),
        ("https://program.example:444/back", "https://program.example/back"),
        ("https://program.example/back/", "https://program.example/back"),
        ("https://program.example/BACK", "https://program.example/back"),
        ("https://program.example/../back", "https://program.example/back"),
        ("cursor://anysphere.cursor-mcp/other", "cursor://anysphere.cursor-mcp/oauth/callback"),
        ("http://127.0.0.1:0x50/back", "http://127.0.0.1/back"),
    ],
)
def test_nothing_else_is_the_same(given: str, registered: str) -> None:
    assert not is_registered(given, [registered])


def test_what_was_registered_before_it_was_forbidden_leads_nowhere() -> None:
    uri = "cursor://anysphere.cursor-deeplink/mcp/install?name=x&config=e30"

    assert not is_registered(uri, [uri])
