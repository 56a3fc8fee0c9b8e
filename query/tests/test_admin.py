"""The back office shows staff what came of people's questions, and changes nothing."""

import re

import pytest
from django.test import Client

from accounts.models import Tenant, User
from accounts.tests.factories import make_staff_access, sign_staff_in
from agents.tests.factories import make_agent
from query.models import Message, Outcome
from query.tests.factories import make_conversation, make_message

PATH = "/admin/query/message/"
ROW = re.compile(r"<tr\b.*?</tr>", re.DOTALL)


@pytest.fixture
def staff(db: None) -> Client:
    client = Client()
    sign_staff_in(client, User.objects.create_superuser("staff@example.com", "a long password 1"))
    return client


@pytest.fixture
def messages(staff: Client, tenant: Tenant) -> dict[Outcome, Message]:
    """One of each outcome, whose model's name tells them apart. Staff may read them."""
    make_staff_access(tenant, User.objects.get())
    conversation = make_conversation(make_agent(tenant))
    return {
        outcome: make_message(conversation, outcome=outcome, model=f"model-of-{outcome}")
        for outcome in Outcome
    }


def test_each_message_is_listed_with_what_came_of_it(
    staff: Client, messages: dict[Outcome, Message]
) -> None:
    page = staff.get(PATH).content.decode()

    rows = [re.sub(r"(\s|<[^>]*>)+", " ", row) for row in ROW.findall(page)]
    for outcome, message in messages.items():
        (row,) = [row for row in rows if message.model in row]
        assert f" {outcome.label} {message.model} " in row


def test_those_that_were_in_doubt_are_found_by_a_filter(
    staff: Client, messages: dict[Outcome, Message]
) -> None:
    page = staff.get(PATH, {"outcome__exact": "unsure"}).content.decode()

    listed = [outcome for outcome in messages if f"model-of-{outcome}" in page]
    assert listed == [Outcome.UNSURE]


def test_a_message_is_shown_and_not_changed(
    staff: Client, messages: dict[Outcome, Message]
) -> None:
    path = f"{PATH}{messages[Outcome.UNSURE].pk}/change/"

    assert ">Unsure<" in staff.get(path).content.decode()
    assert staff.post(path, {"outcome": "answered"}).status_code == 403
