"""Links to originals, good for a day. Anybody who has a link can use it."""

from __future__ import annotations

import unicodedata
import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from django.conf import settings
from django.core import signing
from django.core.files import File
from django.core.files.storage import default_storage
from django.utils.http import content_disposition_header

from accounts.models import Tenant
from config.database.acting import as_tenant
from config.storage.backends import OPAQUE
from sources.errors import DownloadLinkInvalid, OriginalMissing, SourceNotFound
from sources.models import Source
from sources.originals.files import is_on_s3, open_original, require_storage

if TYPE_CHECKING:
    from config.storage.s3 import BoundedS3Storage

SALT = "sources.downloads"  # no other signature is a link, and a link is good for nothing else
NEVER_CACHED = "private, no-store"
FILENAME_MAX_CHARS = 150
SUFFIX_MAX_CHARS = 10
UNNAMED = "file"
# Unicode's categories of control and formatting characters, halves of pairs, and line breaks
INVISIBLE = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"})
# Not allowed in names on Windows; "/" and "\\" are, as borders of folders, dealt with before.
FORBIDDEN_IN_NAMES = dict.fromkeys(map(ord, '<>:"|?*'), "_")


@dataclass(frozen=True)
class Download:
    """A stored file, open, and the name that a person's computer may save it under."""

    file: File[bytes]
    filename: str


def get_download_url(tenant: Tenant, source_id: uuid.UUID | None) -> str:
    """A link to the original, also of a deleted source. It needs no token.

    Raises SourceNotFound without an original, ServiceUnavailable where no files are stored.
    """
    source = find_stored(tenant, source_id) if source_id else None
    if source is None:
        raise SourceNotFound
    require_storage()
    if is_on_s3():
        return presign(source)
    return f"{settings.BASE_URL}/files/{make_token(source)}"


def open_download(token: str) -> Download:
    """Opens the file that a link of ours leads to; the caller closes it.

    Raises DownloadLinkInvalid, StorageUnavailable, ServiceUnavailable.
    """
    tenant_id, source_id = read_token(token)
    with as_tenant(tenant_id):
        tenant = Tenant.objects.filter(pk=tenant_id).first()
        source = find_stored(tenant, source_id) if tenant else None
    if source is None:
        raise DownloadLinkInvalid
    require_storage()
    try:
        return Download(open_original(source), safe_filename(source.original_name))
    except OriginalMissing as error:
        raise DownloadLinkInvalid(error.message) from error


def find_stored(tenant: Tenant, source_id: uuid.UUID) -> Source | None:
    uploads = Source.objects.with_deleted(tenant).uploads()
    return uploads.exclude(original_file="").filter(id=source_id).first()


def make_token(source: Source) -> str:
    """A token that names tenant and source, never a path, in characters that a URL takes as they
    are."""
    return signing.dumps([str(source.tenant_id), str(source.pk)], salt=SALT)


def read_token(token: str) -> tuple[uuid.UUID, uuid.UUID]:
    """Ids of the tenant and of the source. Raises DownloadLinkInvalid."""
    try:
        tenant_id, source_id = signing.loads(
            token, salt=SALT, max_age=settings.DOWNLOAD_URL_LIFETIME
        )
    except signing.BadSignature as error:
        raise DownloadLinkInvalid from error
    return uuid.UUID(tenant_id), uuid.UUID(source_id)


def presign(source: Source) -> str:
    """A link to S3, which answers with the headers that our own links have, as far as it can be
    told to."""
    headers = {
        "ResponseContentDisposition": content_disposition_header(
            as_attachment=True, filename=safe_filename(source.original_name)
        ),
        "ResponseContentType": OPAQUE,
        "ResponseCacheControl": NEVER_CACHED,
    }
    storage = cast("BoundedS3Storage", default_storage)
    url: str = storage.url(source.original_file.name, parameters=headers)
    return url


def safe_filename(name: str) -> str:
    """The client's name without folders and without what could mislead a person or a browser:
    control characters, line breaks, marks that turn the direction of text.
    """
    last = unicodedata.normalize("NFC", name).replace("\\", "/").rpartition("/")[2]
    visible = "".join(char for char in last if unicodedata.category(char) not in INVISIBLE)
    return shorten(visible.translate(FORBIDDEN_IN_NAMES).strip(" .")) or UNNAMED


def shorten(name: str) -> str:
    """Shortens a name to FILENAME_MAX_CHARS; the suffix, which tells the kind, stays."""
    stem, dot, suffix = name.rpartition(".")
    if not stem or len(suffix) > SUFFIX_MAX_CHARS:
        return name[:FILENAME_MAX_CHARS]
    return stem[: FILENAME_MAX_CHARS - len(dot + suffix)] + dot + suffix
