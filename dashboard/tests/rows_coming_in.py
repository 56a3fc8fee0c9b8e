"""Rows of what is outside, and of signing out."""

from dashboard.tests.matrix import EVERYBODY, PageRow

ROWS = [
    PageRow("GET", "", is_public=True),
    PageRow("GET", "dashboard/sign-in", is_public=True),
    PageRow("POST", "dashboard/sign-in", is_public=True),
    PageRow("GET", "dashboard/sign-up", is_public=True),
    PageRow("POST", "dashboard/sign-up", is_public=True),
    PageRow("POST", "dashboard/sign-out", EVERYBODY),
]
