"""gunicorn's settings: `gunicorn -c python:config.running.gunicorn config.wsgi`.

Threads, not more processes, carry the requests that wait (an upload waits for its worker). Slow
clients hold none: config.serving.worker.
"""

import os
from pathlib import Path

from config.security.memory import hide_memory

_host = os.environ.get("HOST", "127.0.0.1")
_port = os.environ.get("PORT", "8000")

bind = f"[{_host}]:{_port}" if ":" in _host else f"{_host}:{_port}"
worker_class = "config.serving.worker.PatientWorker"
raw_env = [f"EMBEDDING_THREADS={os.environ.get('EMBEDDING_THREADS', '1')}"]
workers = int(os.environ.get("WEB_PROCESSES", "2"))
threads = int(os.environ.get("WEB_THREADS", "24"))
worker_connections = 4000  # of a process; the 3,000 that no thread answers make way for each other
# What can be shared is loaded before (config.running.supervisor); pools of connections and of
# threads would break in the children.
preload_app = False

timeout = 60  # seconds a process may be stuck, not a limit of a request
graceful_timeout = 8  # seconds that requests have to end when we stop
keepalive = 5
limit_request_line = 8190
limit_request_fields = 100
limit_request_field_size = 8190

# Nobody's headers change path, scheme or address; X-Forwarded-For is read by
# config.security.client_address alone. gunicorn believes them from the same machine.
forwarded_allow_ips = ""
forwarder_headers = ""
secure_scheme_headers: dict[str, str] = {}
header_map = "drop"  # names with "_", the twins of those with "-"

# A file on disk is touched every second: on a slow disk that blocks, and the process gets killed.
worker_tmp_dir = "/dev/shm" if Path("/dev/shm").is_dir() else None  # noqa: S108 - a folder of files without names
control_socket_disable = True  # nobody uses it, and two copies would share one in the home folder


def on_starting(server: object) -> None:
    """Hides the memory before gunicorn forks its processes."""
    hide_memory()


accesslog = None  # the product writes its own lines, with request ids
errorlog = "-"
loglevel = "warning"
