"""Every endpoint of a URL table: a method and a route, as the table writes it."""

import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from django.urls import URLPattern, URLResolver, get_resolver
from django.views.generic import RedirectView

PARAMETER = re.compile(r"<(?:\w+:)?(\w+)>")
# Django answers HEAD as GET without a body, and OPTIONS is a wrong method: both are tested as such.
NOT_LISTED = {"head", "options", "trace"}
ANY_METHOD = "ANY"


class Endpoint(NamedTuple):
    method: str
    route: str

    def path(self, target: str = "", **fixed: str) -> str:
        """The address, with `target` in place of every parameter that `fixed` does not name."""
        return "/" + PARAMETER.sub(lambda found: fixed.get(found[1], target), self.route)

    @property
    def has_id(self) -> bool:
        return bool(PARAMETER.search(self.route))

    def __str__(self) -> str:
        return f"{self.method} /{self.route}"


def list_endpoints(urlconf: str | None = None) -> list[Endpoint]:
    """Of the whole table. Our staff's admin is one: config/tests/test_admin.py walks it. The
    dashboard's pages are not among them: dashboard/tests/test_isolation.py walks `list_pages`."""
    return sorted(walk(get_resolver(urlconf).url_patterns, ""))


def list_pages() -> list[Endpoint]:
    """Of the dashboard."""
    resolvers = get_resolver().url_patterns
    (dashboard,) = (
        one for one in resolvers if isinstance(one, URLResolver) and one.app_name == "dashboard"
    )
    return sorted(walk(dashboard.url_patterns, ""))


def walk(patterns: Iterable[Any], prefix: str) -> Iterator[Endpoint]:
    for pattern in patterns:
        route = prefix + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            if pattern.app_name == "admin":
                yield Endpoint(ANY_METHOD, route)
            elif pattern.app_name != "dashboard":
                yield from walk(pattern.url_patterns, route)
        elif isinstance(pattern, URLPattern):
            yield from (Endpoint(method, route) for method in methods_of(pattern.callback))


def methods_of(callback: Any) -> list[str]:
    """What is no view class, or only leads elsewhere, may answer any method: it is one endpoint."""
    view = getattr(callback, "cls", None) or getattr(callback, "view_class", None)
    if view is None or issubclass(view, RedirectView):
        return [ANY_METHOD]
    names = set(view.http_method_names) - NOT_LISTED
    return [name.upper() for name in names if hasattr(view, name)]
