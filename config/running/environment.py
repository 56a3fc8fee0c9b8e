"""The environment that every process of a copy gets, whichever command starts it."""

from collections.abc import Mapping
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]

DEFAULTS = {
    "ENVIRONMENT": "development",  # a copy on one machine; production says so itself
    "HOST": "127.0.0.1",
    "PORT": "8000",
    "LOAD_DEMO": "yes",  # in development only
    "HF_HUB_OFFLINE": "1",  # nothing is fetched from a model hub unless the operator sets 0
    "PYTHONUNBUFFERED": "1",  # log lines appear when they are written
    # Threads do not survive the fork of a program; and processes enough share the processors.
    "TOKENIZERS_PARALLELISM": "false",
    "OPENBLAS_NUM_THREADS": "1",
    "MALLOC_ARENA_MAX": "2",  # a tenth less memory in a web process of 24 threads
    "CELERY_CUSTOM_WORKER_POOL": "config.running.thread_pool:ThreadPool",  # of `--pool custom`
    "CELERY_SKIP_CHECKS": "yes",  # Django's, which load all views: bin/check makes them
}


def complete(environ: Mapping[str, str]) -> dict[str, str]:
    """`environ` with the defaults filled in and DATA_DIR made absolute (relative to the current
    folder, as typed).
    """
    given = {
        name: value for name, value in environ.items() if value.strip() or name not in DEFAULTS
    }
    result = {**DEFAULTS, **given}
    result["DATA_DIR"] = str(data_dir(environ))
    result.setdefault("BASE_URL", f"http://{url_host(result['HOST'])}:{result['PORT']}")
    return result


def data_dir(environ: Mapping[str, str]) -> Path:
    typed = environ.get("DATA_DIR", "").strip()
    return Path(typed).expanduser().resolve() if typed else REPOSITORY / "var"


def url_host(host: str) -> str:
    """The host as it stands in a URL that reaches a server bound to `host` from this machine."""
    if host in ("0.0.0.0", "::", ""):  # noqa: S104 - compared, not bound
        return "127.0.0.1"
    return f"[{host}]" if ":" in host else host
