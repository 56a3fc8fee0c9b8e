"""Filters that describe programs to the people who let them in: `{% load programs %}`."""

from collections.abc import Collection
from urllib.parse import urlsplit

from django import template
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.models import Program, Scope
from config.http.addresses import is_loopback, is_of_an_app

register = template.Library()

NAME_SHOWN_CHARS = 80
MEANINGS: dict[str, Promise] = {
    Scope.ASK: gettext_lazy(
        "Ask your agents, search their sources, and see which agents there are. Each"
        " question and each search counts toward your plan."
    ),
    Scope.SOURCES: gettext_lazy("See the list of your sources and read passages from them."),
}
SHORT: dict[str, Promise] = {
    Scope.ASK: gettext_lazy("ask and search"),
    Scope.SOURCES: gettext_lazy("read sources"),
}


@register.filter
def shown_name(name: str) -> str:
    """The program's name for itself, in one line no longer than a title, without invisible
    characters such as the marks that change the direction of text."""
    visible = " ".join("".join(char if char.isprintable() else " " for char in name).split())
    if len(visible) > NAME_SHOWN_CHARS:
        visible = f"{visible[:NAME_SHOWN_CHARS].rstrip()}…"
    return visible or _("Unnamed program")


@register.filter
def destination(redirect_uri: str) -> str:
    """The place to which people are sent back: the one claim of a program that can be trusted."""
    parts = urlsplit(redirect_uri)
    if is_loopback(parts):
        return _("a program on this computer")
    if is_of_an_app(parts):
        return _("an app on this device (%(scheme)s:)") % {"scheme": parts.scheme}
    return parts.netloc


@register.filter
def publisher(program: Program) -> str:
    """The host where a program describes itself; "" for one that registered."""
    return urlsplit(program.client_id).netloc if program.published_at else ""


@register.filter
def homes(redirect_uris: list[str]) -> list[str]:
    """The places where a program runs, each once, as shown to people other than its owner."""
    addresses = map(urlsplit, redirect_uris)
    hosts = (parts.netloc if parts.scheme == "https" else "" for parts in addresses)
    return list(dict.fromkeys(host or _("on the person’s own device") for host in hosts))


@register.filter
def scope_meanings(scopes: Collection[str]) -> list[Promise]:
    return [meaning for scope, meaning in MEANINGS.items() if scope in scopes]


@register.filter
def scopes_in_short(scopes: Collection[str]) -> list[Promise]:
    return [short for scope, short in SHORT.items() if scope in scopes]
