"""The end of an account: what is held of a person goes, and a receipt says how much of what."""

import io
import json
import re
import zipfile
from datetime import timedelta

import pytest
from django.apps import apps
from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from accounts.activity import Actor, acting_as, by_person, record
from accounts.errors import (
    CannotRemoveLastAdmin,
    IncorrectPassword,
    InvalidCredentials,
    SomethingIsLeft,
    StaffStays,
)
from accounts.leaving import erasing
from accounts.leaving.erasing import searched_columns
from accounts.leaving.person_archive import write_person_archive
from accounts.leaving.receipts import open_receipt, subject_of, take_receipt
from accounts.models import (
    Action,
    ActivityEntry,
    AskedBy,
    ErasureKind,
    ErasureReceipt,
    OneTimeCode,
    Purpose,
    Role,
    Tenant,
    User,
    WorkspaceExport,
)
from accounts.services.leaving.erasure import begin_erasure, erase_own_account, list_kept_alive_by
from accounts.services.mails import queue_mail
from accounts.services.signing_in.sessions import log_in
from accounts.services.staff import set_password
from accounts.tasks import erase_people
from accounts.tests.factories import (
    PASSWORD,
    make_api_token,
    make_membership,
    make_user,
    switch_two_factor_on,
)
from config.security.current_client import Client, current_client
from config.security.personal import COMPANYS_OWN, declared, list_personal, text_columns

pytestmark = pytest.mark.django_db

ANA = "ana@acme.es"
CHANGE_ENTRIES = "UPDATE accounts_activityentry SET"
CHANGE_RECEIPTS = "UPDATE accounts_erasurereceipt SET"
LIKE_ANA = ("susana@acme.es", "ana@acme.es.example", "ana@acme-es.example")
HERE = {"address": "203.0.113.7"}


@pytest.fixture
def ana(tenant: Tenant, other_tenant: Tenant) -> User:
    """Who has left something everywhere."""
    ana = make_user(tenant, email=ANA)
    make_user(tenant)
    make_user(other_tenant)
    make_membership(other_tenant, ana, role=Role.MEMBER)
    token = current_client.set(Client("203.0.113.7", "Firefox"))
    log_in(ANA, PASSWORD, tenant_slug=tenant.slug, **HERE)
    log_in(ANA, PASSWORD, tenant_slug=other_tenant.slug, **HERE)
    current_client.reset(token)
    make_api_token(ana, tenant)
    switch_two_factor_on(ana)
    with acting_as(by_person(ana)):
        record(tenant, Action.WORKSPACE_CHANGED, told=f"{ANA}, {LIKE_ANA[0]}")
    set_password(ana, PASSWORD)
    now = timezone.now()
    OneTimeCode.objects.create(
        email=ANA, purpose=Purpose.LOGIN, created_at=now, expires_at=now, tries_left=5
    )
    WorkspaceExport.objects.for_tenant(tenant).create(asked_by=ANA)
    staff = User.objects.create_superuser("staff@example.com")
    LogEntry.objects.create(
        user=staff,
        content_type=ContentType.objects.get_for_model(User),
        object_id=str(ana.pk),
        object_repr=ANA,
        action_flag=2,
    )
    return ana


def places_of(address: str) -> list[str]:
    """By the database's own dump of each row, whatever its columns: not by what is declared."""
    found = []
    for model in apps.get_models():
        table = model._meta.db_table
        with connection.cursor() as cursor:
            cursor.execute(
                f"SELECT count(*) FROM {table} AS t WHERE t::text ~ %s",  # noqa: S608 - ours
                [rf"\m(?<!sus){re.escape(address)}\M(?!\.example)"],
            )
            if cursor.fetchone() != (0,):
                found.append(table)
    return found


def test_nothing_of_a_person_is_left_but_a_pseudonym(
    ana: User, tenant: Tenant, other_tenant: Tenant
) -> None:
    assert len(places_of(ANA)) >= 6

    erase_own_account(ana, PASSWORD, **HERE)
    erase_people()

    assert places_of(ANA) == []
    receipt = ErasureReceipt.objects.get(person_id=ana.pk)
    assert (receipt.kind, receipt.asked_by) == ("person", "themself")
    assert receipt.erased["accounts.Session"] == 2
    assert receipt.erased["accounts.Membership"] == 2
    assert receipt.erased["accounts.ApiToken"] == 1
    assert receipt.searched_columns > 40
    pseudonym = f"erased-{subject_of(ANA)}"
    entries = ActivityEntry.objects.for_tenant(tenant).filter(person_id=ana.pk)
    assert set(entries.values_list("actor", "address", "user_agent")) == {(pseudonym, "", "")}
    told = entries.get(action=Action.WORKSPACE_CHANGED).details["told"]
    assert told == f"{pseudonym}, {LIKE_ANA[0]}"
    with pytest.raises(InvalidCredentials):
        log_in(ANA, PASSWORD, **HERE)


def test_the_receipt_says_until_when_backups_may_hold_it(ana: User) -> None:
    begin_erasure(ana, AskedBy.OPERATOR)
    erase_people()

    receipt = ErasureReceipt.objects.get(person_id=ana.pk)
    assert receipt.finished_at is not None
    day = receipt.finished_at.date()
    assert receipt.backups_until == day + timedelta(days=35)
    assert receipt.logs_until == day + timedelta(days=30)


@pytest.mark.parametrize("address", LIKE_ANA)
def test_who_is_called_almost_the_same_stays(ana: User, tenant: Tenant, address: str) -> None:
    other = make_user(tenant, email=address)
    with acting_as(by_person(other)):
        record(tenant, Action.WORKSPACE_CHANGED)

    begin_erasure(ana, AskedBy.OPERATOR)
    erase_people()

    assert User.objects.filter(email=address, is_active=True).exists()
    assert ActivityEntry.objects.for_tenant(tenant).filter(actor=address).count() == 1
    receipts = ErasureReceipt.objects.filter(person_id=ana.pk)
    assert receipts.exclude(finished_at=None).count() == 1


def test_the_last_admin_hands_over_first(tenant: Tenant) -> None:
    only = make_user(tenant, email=ANA)

    assert list_kept_alive_by(only) == [tenant]
    with pytest.raises(CannotRemoveLastAdmin):
        erase_own_account(only, PASSWORD, **HERE)

    only.refresh_from_db()
    assert only.is_active
    assert not ErasureReceipt.objects.filter(person_id=only.pk).exists()


def test_it_takes_the_password(ana: User) -> None:
    with pytest.raises(IncorrectPassword):
        erase_own_account(ana, "wrong", **HERE)

    assert not ErasureReceipt.objects.filter(person_id=ana.pk).exists()


def test_our_staff_stays(tenant: Tenant) -> None:
    staff = User.objects.create_superuser("boss@example.com", PASSWORD)

    with pytest.raises(StaffStays):
        begin_erasure(staff, AskedBy.OPERATOR)


def test_what_a_kill_left_is_gone_on_with(ana: User, monkeypatch: pytest.MonkeyPatch) -> None:
    begin_erasure(ana, AskedBy.OPERATOR)
    before = ErasureReceipt.objects.get(person_id=ana.pk).erased
    with monkeypatch.context() as patched:
        patched.setattr(erasing, "close_receipt", killed)
        with pytest.raises(KeyboardInterrupt):
            erase_people()
    assert User.objects.filter(pk=ana.pk, is_active=False).exists()

    erase_people()

    assert places_of(ANA) == []
    assert ErasureReceipt.objects.get(person_id=ana.pk).erased == before


def killed(*args: object, **kwargs: object) -> None:
    raise KeyboardInterrupt


def test_a_receipt_is_closed_by_a_search_that_finds_nothing(
    ana: User, tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin_erasure(ana, AskedBy.OPERATOR)
    receipt = ErasureReceipt.objects.get(person_id=ana.pk)
    assert take_receipt(receipt)
    monkeypatch.setattr(erasing, "replace_name", lambda *args: [])

    with pytest.raises(SomethingIsLeft, match=r"accounts\.ActivityEntry\.actor"):
        erasing.erase_person(receipt)

    assert User.objects.filter(pk=ana.pk).exists()
    assert ErasureReceipt.objects.get(person_id=ana.pk).finished_at is None


def refused(statement: str) -> bool:
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement)
    except IntegrityError:
        return True
    return False


def test_a_closed_receipt_stays_as_it_is(ana: User) -> None:
    begin_erasure(ana, AskedBy.OPERATOR)
    assert refused("DELETE FROM accounts_erasurereceipt")
    assert refused("UPDATE accounts_erasurereceipt SET subject = 'x'")
    erase_people()

    assert refused("DELETE FROM accounts_erasurereceipt")
    assert refused("UPDATE accounts_erasurereceipt SET erased = '{}'")


def test_entries_take_a_pseudonym_while_a_receipt_is_open_and_nothing_else(ana: User) -> None:
    pseudonym = f"erased-{subject_of(ANA)}"
    theirs = f"WHERE actor = '{ANA}'"

    assert refused(f"{CHANGE_ENTRIES} actor = '{pseudonym}'")
    begin_erasure(ana, AskedBy.OPERATOR)
    assert refused(f"{CHANGE_ENTRIES} actor = 'somebody else'")
    assert refused(f"{CHANGE_ENTRIES} actor = '{pseudonym}', action = 'sign_out' {theirs}")
    assert refused(f"{CHANGE_ENTRIES} address = '198.51.100.1'")
    assert not refused(f"{CHANGE_ENTRIES} actor = '{pseudonym}' {theirs}")


@pytest.mark.parametrize(
    "change",
    [
        "actor = '{pseudonym}'",
        "actor = 'boss@acme.es, not {pseudonym}'",
        "target_name = '{pseudonym}'",
        "target_name = target_name || ' {pseudonym}'",
        'details = \'{{"role": "admin", "by": "{pseudonym}"}}\'',
        "details = details || '{{\"{pseudonym}\": 1}}'",
        "address = '', user_agent = ''",
    ],
)
def test_a_pseudonym_is_no_way_to_forge_what_others_did(
    ana: User, tenant: Tenant, change: str
) -> None:
    """Who may write to the table finds an open receipt at any time, or opens one."""
    boss = make_user(tenant, email="boss@acme.es")
    client = current_client.set(Client("203.0.113.8", "Safari"))
    with acting_as(by_person(boss)):
        record(tenant, Action.ROLE_CHANGED, boss.memberships.get(), role="viewer", before="admin")
    current_client.reset(client)
    begin_erasure(ana, AskedBy.OPERATOR)

    set_to = change.format(pseudonym=f"erased-{subject_of(ANA)}")
    assert refused(f"{CHANGE_ENTRIES} {set_to} WHERE actor = 'boss@acme.es'")


@pytest.mark.parametrize(
    "change",
    [
        "actor = '{pseudonym}', target_name = 'boss@acme.es'",
        "details = jsonb_build_object('told', '{pseudonym}')",
        "details = replace(details::text, '{ANA}', '{pseudonym}')::jsonb || '{{\"role\": 1}}'",
    ],
)
def test_nor_what_the_person_did(ana: User, change: str) -> None:
    begin_erasure(ana, AskedBy.OPERATOR)

    set_to = change.format(pseudonym=f"erased-{subject_of(ANA)}", ANA=ANA)
    told = f"actor = '{ANA}' AND action = '{Action.WORKSPACE_CHANGED}'"
    assert refused(f"{CHANGE_ENTRIES} {set_to} WHERE {told}")


def test_a_receipt_cannot_be_turned_on_somebody_else(ana: User, tenant: Tenant) -> None:
    boss = make_user(tenant, email="boss@acme.es")
    with acting_as(by_person(boss)):
        record(tenant, Action.WORKSPACE_CHANGED)
    begin_erasure(ana, AskedBy.OPERATOR)

    of_boss = f"person_id = '{boss.pk}'"
    assert refused(f"{CHANGE_RECEIPTS} {of_boss}")
    assert refused(f"{CHANGE_RECEIPTS} workspace_id = gen_random_uuid()")
    open_receipt(ErasureKind.PERSON, boss.email, asked_by=AskedBy.OPERATOR, person_id=boss.pk)
    forged = f"actor = 'erased-{subject_of(boss.email)}'"
    assert refused(f"{CHANGE_ENTRIES} {forged} WHERE actor = '{boss.email}'")


@pytest.mark.parametrize(
    "address",
    [
        "o'brien+shop@acme.es",
        "a.b-c_d%e@sub.acme.es",
        "{a|b}^c$d*e?f!#&/=`~@acme.es",
        "x@acme.es",
    ],
)
def test_the_database_makes_of_an_address_what_the_erasure_makes(
    tenant: Tenant, address: str
) -> None:
    """Else it would refuse the erasure."""
    make_user(tenant)
    ana = make_user(tenant, email=address, role=Role.MEMBER)
    like = address.replace(".", "-") + " x" + address
    with acting_as(Actor(f"{address} by {'x' * 254}"[:254], ana.pk)):
        record(tenant, Action.WORKSPACE_CHANGED, ana.memberships.get(), told=f"\n{address}, {like}")

    receipt = begin_erasure(ana, AskedBy.OPERATOR)
    erase_people()

    receipt.refresh_from_db()
    assert receipt.finished_at is not None
    entry = ActivityEntry.objects.for_tenant(tenant).get(action=Action.WORKSPACE_CHANGED)
    pseudonym = f"erased-{subject_of(address)}"
    assert entry.actor == f"{address} by {'x' * 254}"[:254].replace(address, pseudonym)[:254]
    assert entry.target_name == pseudonym
    assert entry.details == {"told": f"\n{pseudonym}, {like}"}


# --- What is held ---------------------------------------------------------------------------------


def test_a_person_gets_what_is_held_of_them_and_nothing_of_others(
    ana: User, tenant: Tenant, other_tenant: Tenant
) -> None:
    queue_mail(tenant, recipient=ANA, template="password_changed", context={"tenant_name": "Acme"})
    with write_person_archive(ana) as file, zipfile.ZipFile(io.BytesIO(file.read())) as archive:
        lines = {
            name: [json.loads(line) for line in archive.read(name).splitlines()]
            for name in archive.namelist()
        }

    assert [row["email"] for row in lines["account.jsonl"]] == [ANA]
    assert {row["tenant__slug"] for row in lines["memberships.jsonl"]} == {
        "acme",
        other_tenant.slug,
    }
    assert len(lines["sessions.jsonl"]) == 2
    assert {row["template"] for row in lines["mails.jsonl"]} == {"password_changed"}
    assert len(lines["staff_actions.jsonl"]) == 1
    assert len(lines["recovery_codes.jsonl"]) == 10
    text = json.dumps(lines)
    assert not any(address in text for address in (*LIKE_ANA, "staff@example.com"))
    assert "hash" not in text
    assert "secret" not in text


def test_every_model_with_texts_says_whose_they_are() -> None:
    """A new column of an unknown kind of text: say `personal` at the model."""
    silent = {
        model._meta.label
        for model in apps.get_models()
        if text_columns(model)
        and declared(model) is None
        and not hasattr(model, "erased_with_session")
    }

    assert silent == set()


def test_the_search_leaves_out_what_companies_and_visitors_wrote_and_nothing_else() -> None:
    columns = {
        str(field)
        for model in apps.get_models()
        if declared(model) not in (COMPANYS_OWN, None)
        for field in text_columns(model)
    }

    assert columns - set(map(str, searched_columns())) == {
        "sources.Entry.question",
        "sources.Entry.answer",
        "query.LeadNote.text",
        "query.AnswerMark.question",
        "query.AnswerMark.answer",
        "query.AnswerMark.sources",
        "query.AnswerMark.note",
    }


def test_each_file_of_the_archive_has_its_name_and_no_secret() -> None:
    files = [(rule.name, rule.columns) for _, rule in list_personal() if rule.name]
    abouts = [rule.about for _, rule in list_personal() if rule.about]
    files += [(about.name, about.columns) for about in abouts]

    assert len({name for name, _ in files}) == len(files)
    columns = [column for _, names in files for column in names]
    assert not [c for c in columns if any(part in c for part in ("hash", "encrypted", "password"))]
