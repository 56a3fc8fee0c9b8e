"""E-mails: what they say, and handing them to the mail server now."""

import smtplib
from dataclasses import dataclass

from django.core.mail import EmailMultiAlternatives, get_connection
from django.template.loader import render_to_string


class MailFailed(Exception):
    """The mail server did not take it, or did not answer."""


@dataclass(frozen=True)
class Message:
    subject: str
    text: str
    html: str


def send_mail(recipient: str, template: str, language: str, context: dict[str, str]) -> None:
    """Raises MailFailed."""
    message = render(template, language, context)
    mail = EmailMultiAlternatives(message.subject, message.text, to=[recipient])
    mail.attach_alternative(message.html, "text/html")
    try:
        mail.send()
    except (smtplib.SMTPException, OSError) as error:
        raise MailFailed(type(error).__name__) from error


def check_mail_server() -> None:
    """Opens and closes a connection as `send_mail` would. Raises MailFailed."""
    try:
        connection = get_connection()
        connection.open()
        connection.close()
    except (smtplib.SMTPException, OSError) as error:
        raise MailFailed(type(error).__name__) from error


def render(template: str, language: str, context: dict[str, str]) -> Message:
    subject, _, text = render_to_string(f"email/{language}/{template}.txt", context).partition("\n")
    html = render_to_string(f"email/{language}/{template}.html", context)
    return Message(" ".join(subject.split()), text.lstrip("\n"), html)
