"""What test_forking.py turns a fork into. It says what it is, and ends as its argument asks."""

import atexit
import json
import os
import signal
import sys
import threading
from pathlib import Path

if __name__ == "__main__":
    said = {
        "arguments": sys.argv[1:],
        "environ": dict(os.environ),
        "command": Path("/proc/self/cmdline").read_text().rstrip("\0").split("\0"),
        "catches": [
            number
            for number in (signal.SIGTERM, signal.SIGCHLD)
            if signal.getsignal(number) != signal.SIG_DFL
        ],
    }
    print(json.dumps(said), flush=True)  # noqa: T201 - what the test reads
    atexit.register(print, "the end is told")
    threading.Thread(target=print, args=["a thread is waited for"]).start()
    if sys.argv[1] == "fail":
        raise ValueError("as asked")
    if sys.argv[1] == "stay":
        signal.pause()
    sys.exit(3)
