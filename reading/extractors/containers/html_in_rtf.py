"""The HTML of which Outlook made the RTF of a message ([MS-OXRTFEX])."""

from __future__ import annotations

from reading.extractors.legacy.rtf_reader import FONTS, Reader

FROM_HTML = b"\\fromhtml1"
FROM_HTML_WITHIN = 1024
NO_FONT = -1  # tags are written in the code page of the file


def is_from_html(rtf: bytes) -> bool:
    return FROM_HTML in rtf[:FROM_HTML_WITHIN]


class HtmlReader(Reader):
    """Reads the HTML in RTF: tags stand in groups of their own, and the text between them as in any
    RTF. Parts for programs without HTML, between htmlrtf and htmlrtf0, are left out."""

    def __init__(self, rtf: bytes) -> None:
        super().__init__(rtf)
        self._html: list[str] = []

    def read_html(self) -> str:
        for _ in self.read():
            pass
        return "".join(self._html)

    def _read_word(self, word: str, number: int | None) -> None:
        if word not in ("htmltag", "htmlrtf"):
            super()._read_word(word, number)
            return
        self._flush_bytes()
        self._unicode_skip = 0
        if word == "htmlrtf":
            self._group.is_beside_html = number != 0
        else:
            self._group.is_tag = True
            self._group.font = NO_FONT

    def _read_table_word(self, word: str, number: int | None) -> None:
        """Ignores the word: tables are in the HTML."""

    def _end_paragraph(self) -> None:
        self._add_text("\n")

    def _add_text(self, text: str) -> None:
        group = self._group
        if group.table == FONTS:
            super()._add_text(text)
        elif group.is_tag or not (
            group.is_beside_html or group.is_skipped or group.table or group.collected is not None
        ):
            self._html.append(text)
