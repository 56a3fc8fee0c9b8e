"""Loads the demo company: a tenant, its admin, and the files of `files/`.

Loading may be interrupted and goes on where it stopped. Once it was complete, DATA_DIR/demo_loaded
says so for good and nothing is loaded again: what people change or delete afterwards stays so.
"""

import fcntl
import json
import os
import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from django.core.files import File

from accounts.models import Membership, Tenant, User
from accounts.services.tenants import create_tenant
from config.errors import ServiceError
from sources.models import Source, SyncStatus
from sources.services.uploads import discard_upload, ingest_file

SLUG = "demo"
NAME = "Tostadero Marusía"
PLAN = "enterprise"
EMAIL = "admin@demo.example"
PASSWORD_BYTES = 18  # 144 random bits

FILES = Path(__file__).parent / "files"
QUESTIONS = Path(__file__).parent / "questions.json"

Report = Callable[[str], None]


class DemoFailed(Exception):
    """Some files could not be indexed; the message names them. Loading again tries them again."""


@dataclass(frozen=True)
class Demo:
    """What somebody needs to try the demo company.

    `tenant_slug` and `email` are None without a demo tenant of ours; `password` is None when
    the admin has another one than was made here.
    """

    tenant_slug: str | None = None
    email: str | None = None
    password: str | None = None
    questions: tuple[str, ...] = ()


def load_demo(data_dir: Path, report: Report) -> Demo:
    """Loads what is missing, unless loading was complete once; `report` gets a line for each step.

    Seconds the first time, inside no transaction. Raises DemoFailed.
    """
    marker = marker_file(data_dir)
    credentials = data_dir / "demo_credentials.json"
    with locked(data_dir / "demo.lock"):
        if marker.exists():
            tenant = find_loaded_tenant(data_dir)
        else:
            tenant = find_or_make_tenant(credentials)
        if tenant is None:
            report(f"demo: {SLUG} is not our tenant here; to load it again, remove {marker}")
            return Demo()
        if not marker.exists():
            load_files(tenant, report)
            write_whole(marker, f"{tenant.pk}\n")
        password = find_valid_password(credentials)
    return Demo(tenant.slug, EMAIL, password, list_questions())


def find_loaded_tenant(data_dir: Path) -> Tenant | None:
    """None when loading was never complete here, or the demo tenant was deleted."""
    try:
        tenant_id = marker_file(data_dir).read_text().strip()
    except FileNotFoundError:
        return None
    return Tenant.objects.filter(pk=tenant_id).first()


def marker_file(data_dir: Path) -> Path:
    return data_dir / "demo_loaded"


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Two that load at once take turns; the lock ends with its process."""
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def find_or_make_tenant(credentials: Path) -> Tenant | None:
    """None when somebody else's tenant has the slug: our admin is not a member of it."""
    tenant = Tenant.objects.filter(slug=SLUG).first()
    if tenant is None:
        return make_tenant(credentials)
    is_ours = Membership.objects.for_tenant(tenant).filter(user__email=EMAIL).exists()
    return tenant if is_ours else None


def make_tenant(credentials: Path) -> Tenant:
    # The file comes first: a password that is in the database alone could never be shown.
    if not credentials.exists():
        password = secrets.token_urlsafe(PASSWORD_BYTES)
        content = {"tenant_slug": SLUG, "email": EMAIL, "password": password}
        write_whole(credentials, json.dumps(content, indent=1) + "\n")
    return create_tenant(
        slug=SLUG,
        name=NAME,
        plan=PLAN,
        admin_email=EMAIL,
        admin_password=read_password(credentials),
    ).tenant


def write_whole(path: Path, text: str) -> None:
    """Writes a file of mode 0600 that is there whole or not at all."""
    draft = path.with_name(f"{path.name}.new")
    draft.unlink(missing_ok=True)
    draft.touch(mode=0o600)
    draft.write_text(text)
    os.replace(draft, path)


def read_password(credentials: Path) -> str:
    return str(json.loads(credentials.read_text())["password"])


def find_valid_password(credentials: Path) -> str | None:
    """The password that was made here, if it still logs the admin in.

    The hash that it was found to fit stands beside it: to find that out takes a third of a second,
    which every start of the service would wait for.
    """
    user = User.objects.filter(email=EMAIL, is_active=True).first()
    if user is None or not credentials.exists():
        return None
    known = json.loads(credentials.read_text())
    if known.get("hash") != user.password:
        if not user.check_password(known["password"]):
            return None
        write_whole(credentials, json.dumps({**known, "hash": user.password}, indent=1) + "\n")
    return str(known["password"])


def load_files(tenant: Tenant, report: Report) -> None:
    """Indexes each file that is not yet; tries all of them before it raises DemoFailed."""
    paths = sorted(FILES.iterdir())
    failures = []
    for number, path in enumerate(paths, start=1):
        started = time.monotonic()
        try:
            outcome = load_file(tenant, path)
        except ServiceError as error:
            outcome = f"failed: {error.message}"
            failures.append(f"{path.name}: {error.message}")
        seconds = time.monotonic() - started
        report(f"demo: {number} of {len(paths)}, {path.name}: {outcome} ({seconds:.1f} s)")
    if failures:
        raise DemoFailed("The demo company is not complete. " + " ".join(failures))


def load_file(tenant: Tenant, path: Path) -> str:
    """What was done, in words. Raises ServiceError when the file cannot be indexed."""
    source = Source.objects.for_tenant(tenant).filter(original_name=path.name).first()
    if source is not None and source.sync_status == SyncStatus.SYNCED:
        return "was there"
    if source is not None:  # left half-way by a loading that was killed, or failed
        discard_upload(source)
    with path.open("rb") as file:
        source = ingest_file(tenant, file=File(file), filename=path.name)
    if source.sync_status != SyncStatus.SYNCED:
        raise ServiceError(source.error_message)
    return f"{source.chunks_count} passages"


def list_questions() -> tuple[str, ...]:
    """Questions that the files answer."""
    answerable = json.loads(QUESTIONS.read_text(encoding="utf-8"))["answerable"]
    return tuple(item["question"] for item in answerable)
