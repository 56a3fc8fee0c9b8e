"""Mails that tell our staff of sign-ins to the back office from a new place."""

import logging
import zoneinfo
from datetime import timedelta

from django.conf import settings
from django.utils import timezone

from accounts.mail.deliveries import describe_failure
from accounts.mail.sending import MailFailed, MailServerDown, RecipientRefused, send_mail
from accounts.models import StaffSession
from config.security.devices import read_device

logger = logging.getLogger(__name__)

TOLD_WITHIN = timedelta(days=1)  # mails to our staff are tried so long
STAFF_MAILS_AT_ONCE = 20
BACK_OFFICE = "Knowledge Agents"  # where staff signed in, in the place of a workspace's name


def tell_staff_of_sign_ins() -> None:
    """Tells members of our staff of sign-ins from a new place. They belong to no tenant, so these
    mails are not OutgoingMails; each is sent at least once, within a day. Raises nothing: the next
    round tries again."""
    untold = StaffSession.objects.filter(
        is_from_new_place=True, told_at=None, began_at__gt=timezone.now() - TOLD_WITHIN
    )
    for session in untold.select_related("user").order_by("began_at")[:STAFF_MAILS_AT_ONCE]:
        user, zone = session.user, settings.LOCAL_TIME_ZONE
        began_at = session.began_at.astimezone(zoneinfo.ZoneInfo(zone))
        context = {
            "tenant_name": BACK_OFFICE,
            "signed_in_at": f"{began_at:%Y-%m-%d %H:%M} ({zone})",
            "device": str(read_device(session.user_agent)),
            "address": session.address,
            "link": f"{settings.BASE_URL}/admin/sessions/",
        }
        try:
            send_mail(user.email, "new_sign_in", user.language or settings.LANGUAGE_CODE, context)
        except RecipientRefused as error:
            logger.warning("staff session %s not told: %s", session.pk, describe_failure(error))
        except MailServerDown as error:
            logger.warning("staff session %s not told yet: %s", session.pk, describe_failure(error))
            return
        except MailFailed as error:
            logger.warning("staff session %s not told yet: %s", session.pk, describe_failure(error))
            continue
        StaffSession.objects.filter(pk=session.pk).update(told_at=timezone.now())
