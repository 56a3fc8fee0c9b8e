"""An answer on its way out: what a slow reader does not take yet lies on the disk, and no thread
waits for it."""

import os
import socket
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from tempfile import TemporaryFile
from typing import IO, Any

from config.serving.waiting import Kind, waiting_threads

SEND_BYTES = 256 * 1024
# In the kernel: else it takes up to 4 MB a client, and a slow one is not seen to read for minutes.
KERNEL_BYTES = 256 * 1024
FLUSH_SENDS = 16  # at once: others wait for the loop meanwhile
PIECE_BYTES = 8 * 1024 * 1024  # of one temporary file: what is sent frees its room
# Beyond this, a thread that generates an answer piece by piece waits for its slow reader: at most
# ROOM_SECONDS, and only if not too many threads wait.
WAITING_MAX_BYTES = 8 * 1024 * 1024
# A reader that takes nothing for so long has gone, or means harm: its thread is worth more.
ROOM_SECONDS = 30


@dataclass
class Piece:
    """Bytes of a file, from `start` to `end`."""

    file: IO[bytes]
    start: int
    end: int


class Departure(socket.socket):
    """A client's socket that never blocks. `sendall` and `sendfile` return when what they were
    given is sent or kept; `on_waiting` is called in their thread when something is kept, and
    somebody then calls `flush` whenever the client takes more."""

    def __init__(self, plain: socket.socket, on_waiting: Callable[[], None]) -> None:
        super().__init__(fileno=plain.detach())
        super().setblocking(False)
        self.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, KERNEL_BYTES)
        self._pieces: deque[Piece] = deque()
        self._room = threading.Condition()
        self._waiting_bytes = 0
        self._on_waiting = on_waiting
        self._is_broken = False

    def setblocking(self, flag: bool, /) -> None:
        """Does nothing: gunicorn would have the socket block."""

    def settimeout(self, value: float | None, /) -> None:
        """Does nothing, for the same reason."""

    def sendall(self, data: Any, flags: int = 0, /) -> None:
        left = memoryview(data)
        with self._room:
            self._require_reader()
            # The kernel takes what it has room for. The loop sends the rest, without this thread.
            with suppress(BlockingIOError):
                while left and not self._pieces:
                    left = left[self.send(left) :]
            if left:
                self._on_waiting()  # before it waits for room, which nobody else makes
                self._require_room()
            for begin in range(0, len(left), PIECE_BYTES):
                self._keep(left[begin : begin + PIECE_BYTES])

    def sendfile(self, file: Any, offset: int = 0, count: int | None = None) -> int:
        """`count` is required: gunicorn gives it. The file may be closed when this returns."""
        length = count or 0
        with self._room:
            self._require_reader()
            copy = os.fdopen(os.dup(file.fileno()), "rb")
            self._pieces.append(Piece(copy, offset, offset + length))
        if not self.flush():
            self._on_waiting()
        return length

    def _keep(self, data: memoryview) -> None:
        last = self._pieces[-1] if self._pieces else None
        if last is None or not last.file.writable() or last.end >= PIECE_BYTES:
            last = Piece(TemporaryFile(buffering=0), 0, 0)  # noqa: SIM115 - closed when it is sent
            self._pieces.append(last)
        last.end += os.pwrite(last.file.fileno(), data, last.end)
        self._waiting_bytes += len(data)

    def _require_room(self) -> None:
        if not self._has_room():
            with waiting_threads.waiting(Kind.READERS) as may_wait:
                self._room.wait_for(self._has_room, ROOM_SECONDS if may_wait else 0)
        self._require_reader()
        if not self._has_room():
            raise ConnectionResetError("the client reads too slowly")

    def _has_room(self) -> bool:
        return self._is_broken or self._waiting_bytes < WAITING_MAX_BYTES

    def _require_reader(self) -> None:
        if self._is_broken:
            raise BrokenPipeError("the client has left")

    def flush(self) -> bool:
        """Sends what the client takes now, or a part of much. True when nothing waits any more.

        Raises OSError when the client has left; from then on writers get that error too.
        """
        with self._room:
            try:
                for _ in range(FLUSH_SENDS):
                    if not self._pieces:
                        break
                    self._send_of(self._pieces[0])
                    if self._pieces[0].start == self._pieces[0].end:
                        self._pieces.popleft().file.close()
            except BlockingIOError:
                return False
            except OSError:
                self._is_broken = True
                raise
            finally:
                self._room.notify_all()
            return not self._pieces

    def _send_of(self, piece: Piece) -> None:
        count = min(piece.end - piece.start, SEND_BYTES)
        sent = os.sendfile(self.fileno(), piece.file.fileno(), piece.start, count)
        if not sent:
            raise ConnectionResetError("a file has become shorter while it was sent")
        piece.start += sent
        if piece.file.writable():
            self._waiting_bytes -= sent

    def close(self) -> None:
        with self._room:
            self._is_broken = True
            while self._pieces:
                self._pieces.popleft().file.close()
            self._room.notify_all()
        super().close()
