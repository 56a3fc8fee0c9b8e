"""Handing an e-mail to the mail server now, and what its refusals mean."""

import logging
import re
import smtplib
from collections.abc import Iterator
from contextlib import contextmanager
from email.utils import make_msgid, parseaddr

from django.conf import settings
from django.core.mail import EmailMultiAlternatives, get_connection
from django.core.mail.message import sanitize_address

from accounts.mail.messages import Message, render

logger = logging.getLogger(__name__)

PERMANENT_FAILURE = 500  # an SMTP reply of this or more; less is "try again" (RFC 5321, 4.2.1)
POLICY_STATUS = "5.7."  # the server minds who asks, not the recipient (RFC 3463, 3.8)
STATUS = re.compile(rb"\d\.\d{1,3}\.\d{1,3}\b")  # an enhanced status code (RFC 3463)


class MailFailed(Exception):
    """A mail that the mail server did not take. The message tells an operator why, and contains
    nothing of the mail: no address, no code, no link, and no words of the server, which may repeat
    them."""


class MailServerDown(MailFailed):
    """A mail server that takes no mail at all now: it does not answer, or does not let us in."""


class RecipientRefused(MailFailed):
    """A mailbox that does not exist, for good: another attempt would fail as well."""


def send_mail(recipient: str, template: str, language: str, context: dict[str, str]) -> None:
    """Waits for the mail server, EMAIL_TIMEOUT for each of its answers.

    Raises MailFailed, MailServerDown, RecipientRefused.
    """
    email = make_email(
        recipient,
        render(template, language, context),
        stop_link=context.get("stop_link", ""),
        reply_to=context.get("reply_to", ""),
    )
    with mail_failures():
        email.send()
    logger.info("mail %s sent", template)


def check_mail_server() -> None:
    """Connects and logs in as `send_mail` does, and sends nothing. Raises MailServerDown."""
    with mail_failures():
        connection = get_connection()
        connection.open()
        connection.close()


def make_email(
    recipient: str, message: Message, *, stop_link: str = "", reply_to: str = ""
) -> EmailMultiAlternatives:
    """Makes the mail, marked as written by a machine (RFC 3834), so that no absence note answers.
    With a `stop_link`, mail programs show a button that stops such mails (RFC 2369, RFC 8058).
    An answer to it goes to `reply_to`, where that is given.

    Raises RecipientRefused where no mail can be addressed to it.
    """
    sender_domain = parseaddr(settings.DEFAULT_FROM_EMAIL)[1].rpartition("@")[2]
    email = EmailMultiAlternatives(
        message.subject,
        message.text,
        to=[clean_address(recipient)],
        reply_to=clean_reply_to(reply_to),
        headers={
            "Auto-Submitted": "auto-generated",
            # Django's own would hold this machine's name.
            "Message-ID": make_msgid(domain=sender_domain),
        },
    )
    if stop_link:
        email.extra_headers["List-Unsubscribe"] = f"<{stop_link}>"
        email.extra_headers["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    email.attach_alternative(message.html, "text/html")
    return email


def clean_address(recipient: str) -> str:
    """Returns the address in the form that goes into a header. Raises RecipientRefused: a domain
    may be too long in IDNA."""
    try:
        return sanitize_address(recipient, "utf-8")
    except ValueError:
        raise RecipientRefused("No mail can be sent to this address") from None


def clean_reply_to(address: str) -> list[str]:
    """Returns the address as a header has it; nothing for one that no mail can be addressed to. A
    customer wrote it: it must not cost the company the mail that tells of them."""
    try:
        return [clean_address(address)] if address else []
    except RecipientRefused:
        return []


@contextmanager
def mail_failures() -> Iterator[None]:
    """Turns what smtplib and sockets raise into MailFailed; what is our own mistake stays."""
    try:
        yield
    except smtplib.SMTPRecipientsRefused as error:
        raise refusal(error) from None
    except (smtplib.SMTPSenderRefused, smtplib.SMTPDataError) as error:
        raise MailFailed(describe(error, error.smtp_code)) from None
    except smtplib.SMTPResponseException as error:  # at the greeting or the login
        raise MailServerDown(describe(error, error.smtp_code)) from None
    except smtplib.SMTPException as error:
        raise MailServerDown(type(error).__name__) from None
    except OSError as error:
        raise MailServerDown(f"{type(error).__name__}: {error.strerror or error}") from None


def refusal(error: smtplib.SMTPRecipientsRefused) -> MailFailed:
    """The failure for the only recipient, since each of our mails has one."""
    ((code, words),) = error.recipients.values()
    status = STATUS.match(words)
    enhanced = status.group().decode() if status else ""
    is_final = code >= PERMANENT_FAILURE and not enhanced.startswith(POLICY_STATUS)
    kind = RecipientRefused if is_final else MailFailed
    return kind(f"{describe(error, code)} {enhanced}".strip())


def describe(error: Exception, code: int) -> str:
    return f"{type(error).__name__}: {code}"
