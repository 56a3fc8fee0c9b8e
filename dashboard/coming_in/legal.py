"""The operator's own texts: privacy notice, terms and imprint, as Markdown files in a folder."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.utils.functional import Promise
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext_lazy as _
from markdown_it import MarkdownIt

from accounts.models import Language

TITLES: dict[str, Promise] = {
    "privacy": _("Privacy"),
    "terms": _("Terms"),
    "imprint": _("Legal notice"),
}
MAX_BYTES = 500_000
# No HTML inside: what a text may do is what Markdown can say.
MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table")


@dataclass(frozen=True)
class LegalText:
    name: str
    title: Promise
    path: Path

    def render(self) -> SafeString:
        """Return the text as HTML. Raises OSError where the file was taken away meanwhile."""
        with self.path.open("rb") as file:
            text = file.read(MAX_BYTES).decode("utf-8", "replace")
        return mark_safe(str(MARKDOWN.render(text)))  # noqa: S308 - Markdown without HTML


def list_legal_texts(language: str) -> list[LegalText]:
    """Return the texts that the operator wrote, each in the language, else in another."""
    texts = (find_legal_text(name, language) for name in TITLES)
    return [text for text in texts if text is not None]


def find_legal_text(name: str, language: str) -> LegalText | None:
    """Return None if the file does not exist. `name` is one of TITLES."""
    others = [other for other in Language.values if other != language]
    paths = (settings.LEGAL_DIR / f"{name}.{each}.md" for each in [language, *others])
    found = next((path for path in paths if path.is_file()), None)
    return LegalText(name, TITLES[name], found) if found else None
