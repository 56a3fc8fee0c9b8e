"""The demo company: its files, its questions, and loading it."""

import json
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.utils import timezone

from accounts.models import Membership, Role, Tenant, User
from accounts.tests.factories import make_tenant
from demo import loading
from demo.loading import EMAIL, FILES, QUESTIONS, Demo, DemoFailed, list_questions, load_demo
from demo.make_files import MADE_FILES, make_files
from query.pipeline import answer_question
from query.understanding.inquiries import Inquiry
from reading.passages import ExtractedDocument
from sources.documents import detect_content_type, extract_document, read_request
from sources.errors import FileProcessingFailed
from sources.models import Source, SyncStatus

pytestmark = pytest.mark.slow

NAMES = sorted(path.name for path in FILES.iterdir())
CASES: dict[str, list[dict[str, str]]] = json.loads(QUESTIONS.read_text(encoding="utf-8"))


def read(path: Path) -> ExtractedDocument:
    content = path.read_bytes()
    content_type = detect_content_type(content[:65536], content[-65536:], path.name)
    return extract_document(path, read_request(content_type=content_type, title=path.name))


# --- The files --------------------------------------------------------------------------------


def test_the_files_come_in_every_format_that_the_first_release_reads() -> None:
    assert {Path(name).suffix for name in NAMES} == {
        ".csv", ".docx", ".md", ".pdf", ".pptx", ".txt", ".xlsx",
    }  # fmt: skip


def test_the_files_are_small() -> None:
    assert sum(path.stat().st_size for path in FILES.iterdir()) < 300_000


@pytest.mark.parametrize("name", MADE_FILES)
def test_a_committed_file_says_what_the_script_writes(name: str, tmp_path: Path) -> None:
    make_files(tmp_path)
    assert read(FILES / name) == read(tmp_path / name)


# --- The questions ----------------------------------------------------------------------------


def test_the_questions_cover_both_languages_and_cross_them() -> None:
    pairs = [(item["language"], item["document_language"]) for item in CASES["answerable"]]
    assert {pair: pairs.count(pair) for pair in pairs} == {
        ("es", "es"): 4,
        ("en", "en"): 5,
        ("es", "en"): 2,
        ("en", "es"): 2,
    }
    assert [item["language"] for item in CASES["no_sources"]] == ["es", "en", "en", "es"]


@pytest.mark.parametrize("case", CASES["answerable"], ids=lambda case: case["question"])
def test_the_answer_stands_in_the_file_that_is_named(case: dict[str, str]) -> None:
    blocks = read(FILES / case["file"]).blocks
    assert any(case["answer"] in block.text for block in blocks)


# --- Loading, with indexing faked -------------------------------------------------------------


class FakeIngestion:
    """Stands for `ingest_file`: `names` are the indexed files; `interrupt` runs before each."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.interrupt: Callable[[str], None] = lambda name: None

    def __call__(self, tenant: Tenant, *, file: Any, filename: str) -> Source:
        source = Source.objects.for_tenant(tenant).create(
            name=filename,
            original_name=filename,
            original_file=f"{tenant.pk}/{filename}",
            source_type="file",
            sync_status=SyncStatus.SYNCING,
        )
        self.interrupt(filename)
        self.names.append(filename)
        source.sync_status = SyncStatus.SYNCED
        source.last_synced_at = timezone.now()
        source.save()
        return source


@pytest.fixture
def ingestion(monkeypatch: pytest.MonkeyPatch) -> FakeIngestion:
    fake = FakeIngestion()
    monkeypatch.setattr(loading, "ingest_file", fake)
    return fake


def load(data_dir: Path) -> Demo:
    return load_demo(data_dir, lambda line: None)


def demo_tenant() -> Tenant:
    return Tenant.objects.get(slug="demo")


def source_names() -> list[str]:
    sources = Source.objects.for_tenant(demo_tenant()).filter(sync_status=SyncStatus.SYNCED)
    return sorted(source.original_name for source in sources)


@pytest.mark.django_db
def test_loading_makes_a_tenant_on_pro_with_an_admin_and_all_files(
    ingestion: FakeIngestion, tmp_path: Path
) -> None:
    demo = load(tmp_path)
    tenant = demo_tenant()
    member = Membership.objects.for_tenant(tenant).get()
    assert (tenant.plan_id, member.user.email, member.role) == ("enterprise", EMAIL, Role.ADMIN)
    assert member.user.check_password(demo.password or "")
    assert source_names() == NAMES
    assert demo == Demo("demo", EMAIL, demo.password, list_questions())


@pytest.mark.django_db
def test_the_password_is_random_and_only_its_owner_may_read_it(
    ingestion: FakeIngestion, tmp_path: Path
) -> None:
    demo = load(tmp_path)
    kept = tmp_path / "demo_credentials.json"
    assert json.loads(kept.read_text())["password"] == demo.password
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert len(demo.password or "") == 24


@pytest.mark.django_db
def test_a_second_loading_indexes_nothing_and_tells_the_same(
    ingestion: FakeIngestion, tmp_path: Path
) -> None:
    first = load(tmp_path)
    ingestion.names.clear()
    assert load(tmp_path) == first
    assert ingestion.names == []


@pytest.mark.django_db
def test_an_interrupted_loading_goes_on_where_it_stopped(
    ingestion: FakeIngestion, tmp_path: Path
) -> None:
    def stop_at_third(name: str) -> None:
        if name == NAMES[2]:
            raise KeyboardInterrupt

    ingestion.interrupt = stop_at_third
    with pytest.raises(KeyboardInterrupt):
        load(tmp_path)
    ingestion.interrupt = lambda name: None
    load(tmp_path)
    assert ingestion.names == NAMES
    assert Source.objects.for_tenant(demo_tenant()).count() == len(NAMES)


@pytest.mark.django_db
def test_a_file_that_fails_is_named_after_all_were_tried_and_is_tried_again(
    ingestion: FakeIngestion, tmp_path: Path
) -> None:
    def fail_second(name: str) -> None:
        if name == NAMES[1]:
            raise FileProcessingFailed("It cannot be read.")

    ingestion.interrupt = fail_second
    with pytest.raises(DemoFailed, match=f"{NAMES[1]}: It cannot be read."):
        load(tmp_path)
    assert source_names() == [NAMES[0], *NAMES[2:]]
    ingestion.interrupt = lambda name: None
    load(tmp_path)
    assert source_names() == NAMES


@pytest.mark.django_db
def test_a_file_that_was_deleted_stays_deleted(ingestion: FakeIngestion, tmp_path: Path) -> None:
    load(tmp_path)
    Source.objects.for_tenant(demo_tenant()).filter(original_name=NAMES[0]).delete()
    load(tmp_path)
    assert source_names() == NAMES[1:]


@pytest.mark.django_db
def test_a_changed_password_is_neither_reset_nor_told(
    ingestion: FakeIngestion, tmp_path: Path
) -> None:
    load(tmp_path)
    user = User.objects.get(email=EMAIL)
    user.set_password("one of their own 1")
    user.save()
    assert load(tmp_path).password is None
    assert User.objects.get(email=EMAIL).check_password("one of their own 1")


@pytest.mark.django_db
def test_a_password_is_tried_once_and_told_at_every_start(
    ingestion: FakeIngestion, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = load(tmp_path).password
    monkeypatch.setattr(User, "check_password", lambda user, password: pytest.fail("tried again"))

    assert load(tmp_path).password == made


@pytest.mark.django_db
def test_a_password_that_was_changed_and_changed_back_is_told_again(
    ingestion: FakeIngestion, tmp_path: Path
) -> None:
    made = load(tmp_path).password
    user = User.objects.get(email=EMAIL)
    user.set_password("one of their own 1")
    user.save()
    assert load(tmp_path).password is None

    user.set_password(made)
    user.save()

    assert load(tmp_path).password == made


@pytest.mark.django_db
def test_a_deleted_demo_tenant_stays_deleted(ingestion: FakeIngestion, tmp_path: Path) -> None:
    load(tmp_path)
    demo_tenant().delete()
    assert load(tmp_path) == Demo()
    assert not Tenant.objects.filter(slug="demo").exists()


@pytest.mark.django_db
def test_a_tenant_of_that_name_that_is_not_ours_is_left_alone(
    ingestion: FakeIngestion, tmp_path: Path
) -> None:
    theirs = make_tenant("demo", plan="free")
    assert load(tmp_path) == Demo()
    assert not Source.objects.for_tenant(theirs).exists()
    assert not Membership.objects.for_tenant(theirs).exists()


@pytest.mark.django_db
def test_another_data_dir_on_the_same_database_does_not_know_the_password(
    ingestion: FakeIngestion, tmp_path: Path
) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    first = load(tmp_path / "a")
    ingestion.names.clear()
    assert load(tmp_path / "b") == Demo("demo", EMAIL, None, first.questions)
    assert ingestion.names == []


@pytest.mark.django_db
def test_the_command_prints_one_json_object_and_its_progress_elsewhere(
    ingestion: FakeIngestion,
    tmp_path: Path,
    settings: Any,
    capsys: pytest.CaptureFixture[str],
) -> None:
    settings.DATA_DIR = tmp_path
    call_command("load_demo")
    printed = capsys.readouterr()
    assert sorted(json.loads(printed.out)) == ["email", "password", "questions", "tenant_slug"]
    assert [line.split(": ")[1] for line in printed.err.splitlines()] == [
        f"{number} of {len(NAMES)}, {name}" for number, name in enumerate(NAMES, start=1)
    ]


# --- The real thing, once ---------------------------------------------------------------------


@pytest.fixture
def stored_files(tmp_path: Path, settings: Any) -> None:
    default = settings.STORAGES["default"]
    options = {**default["OPTIONS"], "location": str(tmp_path / "media")}
    settings.STORAGES = {**settings.STORAGES, "default": {**default, "OPTIONS": options}}


@pytest.mark.django_db
@pytest.mark.usefixtures("stored_files")
def test_the_questions_get_their_answers_and_the_others_no_sources(tmp_path: Path) -> None:
    load(tmp_path)
    tenant = demo_tenant()
    answers = [
        (case, answer_question(Inquiry(tenant, case["question"]))) for case in CASES["answerable"]
    ]
    assert [
        (case["question"], answer.text)
        for case, answer in answers
        if case["answer"] not in answer.text
    ] == []
    assert [
        (case["question"], [source.source_file for source in answer.sources])
        for case, answer in answers
        if case["file"] not in [source.source_file for source in answer.sources]
    ] == []
    others = [item["question"] for item in CASES["no_sources"]]
    assert [text for text in others if answer_question(Inquiry(tenant, text)).sources] == []
