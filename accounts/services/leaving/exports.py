"""The archive of a workspace: asking for it, and fetching it."""

from __future__ import annotations

import functools
import uuid

from django.conf import settings
from django.core.exceptions import SuspiciousFileOperation
from django.core.files import File
from django.core.files.storage import default_storage
from django.db import IntegrityError, transaction
from django.utils import timezone

from accounts.activity import current_actor, record
from accounts.errors import ExportNotFound, ExportUnderWay
from accounts.leaving.archives import KEPT
from accounts.leaving.exporting import STORAGE_ERRORS
from accounts.models import Action, ExportState, Tenant, User, WorkspaceExport
from accounts.models.tenancy import TenantQuerySet
from accounts.services.mails import mail_admins
from accounts.services.signing_in.two_factor import check_password
from accounts.tasks import build_export
from config.errors import ServiceUnavailable
from config.jobs.enqueueing import enqueue
from config.storage.backends import NOT_CONFIGURED

EXPORT_MAIL = "workspace_export"


def list_exports(tenant: Tenant) -> TenantQuerySet[WorkspaceExport]:
    """The exports, the newest first: one that is made, and the one before it."""
    return WorkspaceExport.objects.for_tenant(tenant)


def ask_export(tenant: Tenant, *, by: User, password: str, address: str) -> WorkspaceExport:
    """Begins an export for an admin who has just given their password again, so that a browser left
    open is not enough.

    Args:
        address: config.security.client_address.
    Raises NoPasswordSet, IncorrectPassword, TooManyRequests, and what `begin_export` does.
    """
    check_password(by, password, address=address)
    return begin_export(tenant)


@transaction.atomic
def begin_export(tenant: Tenant) -> WorkspaceExport:
    """Begins an export, which a worker makes; `list_exports` shows its progress. All admins are
    told by mail.

    Raises ExportUnderWay, ServiceUnavailable where no files are stored.
    """
    if settings.STORAGE_URL == NOT_CONFIGURED:
        raise ServiceUnavailable("File storage is not configured here.")
    exports = WorkspaceExport.objects.for_tenant(tenant)
    try:
        with transaction.atomic():
            export = exports.create(asked_by=current_actor.get().label)
    except IntegrityError as error:
        raise ExportUnderWay from error
    record(tenant, Action.EXPORT_ASKED)
    days = str(KEPT.days)
    mail_admins(tenant, EXPORT_MAIL, {"asked_by": export.asked_by, "days": days})
    # Without a broker, beat finds it within half a minute of its return.
    transaction.on_commit(functools.partial(enqueue, build_export, str(export.pk), str(tenant.pk)))
    return export


def get_ready_export(tenant: Tenant, export_id: uuid.UUID) -> WorkspaceExport:
    """Raises ExportNotFound."""
    ready = WorkspaceExport.objects.for_tenant(tenant).filter(
        state=ExportState.READY, expires_at__gt=timezone.now()
    )
    export = ready.filter(pk=export_id).first()
    if export is None:
        raise ExportNotFound
    return export


def fetch_export(
    tenant: Tenant, export_id: uuid.UUID, *, by: User, password: str, address: str
) -> File[bytes]:
    """Opens an archive as `open_export` does, for an admin who has just given their password again.

    Raises NoPasswordSet, IncorrectPassword, TooManyRequests, and what `open_export` does.
    """
    get_ready_export(tenant, export_id)
    check_password(by, password, address=address)
    return open_export(tenant, export_id)


def open_export(tenant: Tenant, export_id: uuid.UUID) -> File[bytes]:
    """Opens the archive, for one reading from start to end; the caller closes it.

    Raises ExportNotFound, ServiceUnavailable.
    """
    export = get_ready_export(tenant, export_id)
    try:
        file = default_storage.open(export.archive, "rb")
    except (FileNotFoundError, SuspiciousFileOperation) as error:
        raise ExportNotFound from error
    except STORAGE_ERRORS as error:
        raise ServiceUnavailable("The file storage does not answer. Try again later.") from error
    record(tenant, Action.EXPORT_DOWNLOADED)
    return file
