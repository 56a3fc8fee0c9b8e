"""The language and the time zone in which a page is shown."""

import zoneinfo
from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings
from django.http import HttpRequest
from django.utils import timezone, translation

from accounts.models import Language
from accounts.signing_in.authentication import Caller
from config.rest.accepted_language import accepted_language

LANGUAGE_PARAMETER = "lang"  # of a page outside, where nobody is known yet: ?lang=en
LANGUAGE_COOKIE = "language"


def choose_language(request: HttpRequest, caller: Caller | None) -> str:
    """The person's language; else the one chosen on this device, then the browser's, then Spanish,
    which most people use."""
    if caller is not None and caller.user.language:
        return caller.user.language
    for chosen in (request.GET.get(LANGUAGE_PARAMETER), request.COOKIES.get(LANGUAGE_COOKIE)):
        if chosen in Language.values:
            return chosen
    accepted = accepted_language(request.headers.get("Accept-Language", ""), Language.values)
    return accepted or Language.SPANISH


@contextmanager
def speaking_to(request: HttpRequest, caller: Caller | None) -> Iterator[str]:
    """Translates, and shows times in the tenant's zone, until it is left."""
    language = choose_language(request, caller)
    name = (caller.tenant.time_zone if caller else "") or settings.LOCAL_TIME_ZONE
    with translation.override(language), timezone.override(zoneinfo.ZoneInfo(name)):
        yield language
