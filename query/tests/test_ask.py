"""`bin/manage ask`: one question on the command line."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from query.tests.factories import LIGHTHOUSE, index_texts


def ask(*arguments: str) -> str:
    output = StringIO()
    call_command("ask", *arguments, stdout=output)
    return output.getvalue()


def test_the_answer_and_its_numbered_sources_are_printed(tenant):
    index_texts(tenant, *LIGHTHOUSE, name="lighthouse.txt")
    lines = ask("--tenant", "acme", "How much does a guided visit cost?").splitlines()
    assert lines[0].startswith("A guided visit costs 7 euros.")
    assert lines[1].startswith("[1] lighthouse.txt, paragraph 2 (0.")


def test_an_unknown_tenant_is_named(db):
    with pytest.raises(CommandError, match="no tenant with the slug 'nobody'"):
        ask("--tenant", "nobody", "Hello?")


def test_an_unknown_agent_is_refused(tenant):
    with pytest.raises(CommandError, match="no such agent"):
        ask("--tenant", "acme", "--agent", "7d1c6a1e-7f0e-4a52-9df5-0f7a3c1f8d11", "Hello?")
