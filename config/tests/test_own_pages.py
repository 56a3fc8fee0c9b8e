"""Where a person may go on to: pages of ours below one path, however the address is written."""

import pytest

from config.security.own_pages import is_page_below


@pytest.mark.parametrize(
    "address",
    [
        "/dashboard/",
        "/dashboard/account",
        "/dashboard/sources/1b3f/columns?page=2&q=a%2F..%2Fb#row-3",
        "/dashboard/programs/allow?redirect_uri=https%3A%2F%2Fprogram.example%2Fback&state=a+b",
        "/dashboard/stop-mails/a:b_c-d~e.f",
        "/dashboard/?next=/../admin/",
    ],
)
def test_these_lead_there(address: str) -> None:
    assert is_page_below(address, "/dashboard/")


@pytest.mark.parametrize(
    "address",
    [
        "",
        "dashboard/",
        "/dashboard",
        "/admin/",
        "https://evil.example/dashboard/",
        "//evil.example/dashboard/",
        "/dashboard/../admin/",
        "/dashboard/..",
        "/dashboard/./../admin/",
        "/dashboard/a/b/../../../admin/",
        "/dashboard/.",
        "/dashboard/..?a=b",
        "/dashboard/..#a",
        "/dashboard/..;/admin/",
        "/dashboard/%2e%2e/admin/",
        "/dashboard/%2E./admin/",
        "/dashboard/%252e%252e/admin/",
        "/dashboard/..%2fadmin/",
        "/dashboard/%2e%2e%5cadmin/",
        "/dashboard/..\\admin/",
        "/dashboard\\..\\admin/",
        "/dashboard/\\evil.example",
        "/dashboard/.\t./admin/",
        "/dashboard/.\n./admin/",
        "/dashboard/\uff0e\uff0e/admin/",
        " /dashboard/",
        "\x00/dashboard/",
        "/dashboard/\x00",
    ],
)
def test_these_lead_elsewhere_or_might(address: str) -> None:
    assert not is_page_below(address, "/dashboard/")
