"""How passwords are hashed: as Django does, PBKDF2 with SHA-256, a few at a time."""

import os
import threading
from typing import Any

from django.contrib.auth.hashers import PBKDF2PasswordHasher

from config.database.pool import release_connection

# Of a process. All threads hashing at once would all be done at the end, and leave none to others.
slots = threading.Semaphore(max(2, len(os.sched_getaffinity(0))))


class PasswordHasher(PBKDF2PasswordHasher):
    """Hashes a few passwords at a time, which takes long: a thread that waits for it, outside a
    transaction, holds no connection."""

    def encode(self, password: str, salt: str, iterations: int | None = None) -> Any:
        # Hashing takes a good part of a second, and may wait for its turn before.
        release_connection()
        with slots:
            return super().encode(password, salt, iterations)
