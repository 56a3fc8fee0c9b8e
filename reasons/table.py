"""The table of reasons in docs/api.md: `python -m reasons.table` prints it."""

import sys

from reasons.catalogue import TEXTS
from reasons.reason import PLACEHOLDER


def list_rows() -> list[str]:
    """Return a row for each code: its text, with `{limit}` where a value stands."""
    rows = []
    for code, text in TEXTS.items():
        written = PLACEHOLDER.sub(r"{\1}", text).replace("|", r"\|")
        rows.append(f"| `{code}` | {written} |")
    return rows


if __name__ == "__main__":
    sys.stdout.write("\n".join([*list_rows(), ""]))
