"""What markitdown and unstructured give of files. Runs in a virtual environment of its own
(peers.txt), as independent.py does.

unstructured tells titles from prose with a spaCy model that it would fetch from the network: it
gets an empty one instead, which changes how texts are named, not what they say. PDFs are read with
its strategy "fast", which imports torch and its kin and never calls them: they are stood in for.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import signal
import sys
import time
import warnings
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

READER_SECONDS = 60
MEMORY_BYTES = 6 << 30


class Absent:
    """Finds what is only imported."""

    NAMES = frozenset({"torch", "torchvision", "transformers", "timm", "accelerate", "matplotlib"})

    def find_spec(self, name: str, *_: object) -> ModuleSpec | None:
        is_one = name.partition(".")[0] in self.NAMES
        return ModuleSpec(name, self, is_package=True) if is_one else None  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> Any:
        module = MagicMock()
        module.__path__, module.__spec__, module.__name__ = [], spec, spec.name
        module.__version__ = "99.0"
        return module

    def exec_module(self, module: object) -> None:
        pass


def markitdown(path: Path) -> str:
    from markitdown import MarkItDown

    return MarkItDown(enable_plugins=False).convert(str(path)).text_content


def unstructured(path: Path) -> str:
    import spacy

    def empty(*_: object, **__: object) -> Any:
        model = spacy.blank("en")
        model.add_pipe("sentencizer")
        return model

    spacy.load = empty
    from unstructured.partition.auto import partition

    options: dict[str, Any] = {"strategy": "fast"} if path.suffix == ".pdf" else {}
    return "\n".join(element.text or "" for element in partition(filename=str(path), **options))


class TimeIsUp(Exception):
    pass


def give_up(*_: object) -> None:
    raise TimeIsUp


def main() -> None:
    sys.meta_path.append(Absent())  # type: ignore[arg-type]
    warnings.simplefilter("ignore")
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, resource.RLIM_INFINITY))
    signal.signal(signal.SIGALRM, give_up)
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8", errors="replace")
    os.dup2(2, 1)  # what they print is no answer
    for line in sys.stdin:
        path, found = Path(json.loads(line)["path"]), {}
        for reader in (markitdown, unstructured):
            signal.alarm(READER_SECONDS)
            started = time.perf_counter()
            try:
                with contextlib.redirect_stdout(sys.stderr):
                    found[reader.__name__] = {"pages": [reader(path)]}
            except Exception as error:  # noqa: BLE001 - whatever a reader does to a file is its answer
                found[reader.__name__] = {"error": f"{type(error).__name__}: {error}"[:200]}
            finally:
                signal.alarm(0)
            found[reader.__name__]["seconds"] = time.perf_counter() - started
        answers.write(json.dumps(found) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
