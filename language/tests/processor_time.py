"""How much processor time a call takes, told apart from all else that this process does."""

import gc
import time
from collections.abc import Callable


def processor_seconds(call: Callable[[], object]) -> float:
    """Return the least processor time, in seconds, that this thread spends in one of three calls.

    Other threads' time is not counted, nor is the garbage collector's: it walks through all that
    the process holds, so that its cost tells how many tests ran before.
    """
    return min(_once(call) for _ in range(3))


def _once(call: Callable[[], object]) -> float:
    gc.disable()
    try:
        started = time.thread_time()
        call()
        return time.thread_time() - started
    finally:
        gc.enable()
