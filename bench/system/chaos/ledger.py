"""What happened, a JSON line each, on disk before anybody relies on it."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Entry = dict[str, Any]


class Ledger:
    """`note` may be called by all threads at once."""

    def __init__(self, folder: Path, name: str = "ledger") -> None:
        self.path = folder / f"{name}.jsonl"
        self.lock = threading.Lock()
        self.file = self.path.open("a", encoding="utf-8")

    def note(self, kind: str, **fields: Any) -> None:
        line = json.dumps({"at": time.time(), "kind": kind, **fields}, ensure_ascii=False)
        with self.lock:
            self.file.write(f"{line}\n")
            self.file.flush()

    def close(self) -> None:
        self.file.close()


class LedgerReader:
    """Reads on from where it was."""

    def __init__(self, path: Path) -> None:
        self.path, self.position = path, 0

    def read_new(self) -> Iterator[Entry]:
        """Whole lines only: the last one may be under way."""
        with self.path.open("rb") as file:
            file.seek(self.position)
            for line in file:
                if not line.endswith(b"\n"):
                    break
                self.position += len(line)
                yield json.loads(line)
