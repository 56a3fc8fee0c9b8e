"""The state of a language model of our own: its watcher writes it (config.running.language_model),
and code that wants to ask the model reads it. A file in DATA_DIR; nothing of Django."""

from __future__ import annotations

import json
import os
import secrets
from contextlib import suppress
from pathlib import Path

STATE_FILE = "language-model.json"
LOADING = "loading"
READY = "ok"


def write_state(data_dir: Path, state: str) -> None:
    """Writes the state: LOADING, READY, or the reason why the model does not answer. It is shown to
    anybody, so it holds neither path nor secret."""
    path = data_dir / STATE_FILE
    beside = path.with_name(f"{STATE_FILE}.{secrets.token_hex(4)}")
    beside.write_text(json.dumps({"state": state}))
    os.replace(beside, path)


def read_state(data_dir: Path) -> str:
    """The state of the model; LOADING where nothing has been written yet."""
    with suppress(OSError, ValueError, AttributeError):
        state = json.loads((data_dir / STATE_FILE).read_text()).get("state")
        if isinstance(state, str):
            return state
    return LOADING
