"""What people read of where a question came in. Those who know a channel name it here: the app that
has the surfaces stands above this one."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from query.models import API

CHANNEL_NAMES: dict[str, str | Promise] = {API: "API", "dashboard": _("dashboard")}


def name_channel(kind: str) -> str:
    """In the language that is active; an unknown kind names itself."""
    return str(CHANNEL_NAMES.get(kind, kind))
