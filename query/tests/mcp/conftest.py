import pytest
from rest_framework.test import APIClient

from query.tests.mcp.client import HANDSHAKE, MODERN, Program


@pytest.fixture(params=[MODERN, HANDSHAKE])
def program_of_each_era(request: pytest.FixtureRequest, admin_api: APIClient) -> Program:
    made = Program(admin_api, request.param)
    if request.param == HANDSHAKE:
        made.begin()
    return made
