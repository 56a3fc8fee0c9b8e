"""Mails that must arrive, although the mail server is away now."""

import json
import uuid

from accounts.models import OutgoingMail, Tenant
from accounts.tasks import deliver_mail
from config.encryption import encrypt


def queue_mail(
    tenant: Tenant, *, recipient: str, template: str, context: dict[str, str]
) -> OutgoingMail:
    """In the caller's transaction; sent after its commit, in the tenant's language."""
    mail_id = uuid.uuid4()
    content = json.dumps(context).encode()
    mail = OutgoingMail.objects.for_tenant(tenant).create(
        id=mail_id,
        recipient=recipient,
        template=template,
        language=tenant.language,
        encrypted_context=encrypt(content, context=f"accounts.OutgoingMail:{mail_id}"),
    )
    deliver_mail.delay_on_commit(str(mail.pk), str(tenant.pk))
    return mail
