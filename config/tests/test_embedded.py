"""The embedded servers, for real: each test has a DATA_DIR of its own."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import psycopg
import pytest
import redis

from config import embedded
from config.embedded.postgres import OWNER, ROLES, SERVICE, PostgresServer
from config.embedded.processes import read_pid, wait_until
from config.embedded.server import SOCKET_PATH_MAX_BYTES, short_link

pytestmark = pytest.mark.slow

WAIT_SECONDS = 60  # for what must happen, on a busy machine

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="is about running as root")


def new_folder() -> Path:
    """Not tmp_path: pytest closes that to other users, and as root PostgreSQL is one."""
    return Path(f"/tmp/embedded-test-{os.getpid()}-{os.urandom(4).hex()}")


@pytest.fixture(scope="module")
def first_data() -> Iterator[Path]:
    """Of a PostgreSQL that has never been started, as the product makes it."""
    folder = new_folder()
    folder.mkdir(mode=0o755)
    postgres, _ = servers(folder)
    assert isinstance(postgres, PostgresServer)
    postgres._create()
    yield postgres.folder
    subprocess.run(["rm", "-rf", folder], check=True)


@pytest.fixture
def new_data_dir() -> Iterator[Path]:
    """For tests of how a first start makes its data."""
    folder = new_folder()
    yield folder
    embedded.stop_if_unused(folder)
    subprocess.run(["rm", "-rf", folder], check=True)


@pytest.fixture
def data_dir(new_data_dir: Path, first_data: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A first start, too, but its data is copied: to make it anew takes longer than most tests."""

    def copy_first_data(self: PostgresServer) -> None:
        subprocess.run(["cp", "-a", "--reflink=auto", first_data, self.folder], check=True)

    monkeypatch.setattr(PostgresServer, "_create", copy_first_data)
    return new_data_dir


def servers(folder: Path) -> list[embedded.EmbeddedServer]:
    return embedded.servers_for(folder, {})


def postgres_pid(folder: Path) -> int | None:
    return read_pid(folder / "postgres" / "postmaster.pid")


def redis_pid(folder: Path) -> int | None:
    return read_pid(folder / "redis" / "redis.pid")


def execute(urls: dict[str, str], statement: str) -> list[tuple[object, ...]]:
    with psycopg.connect(urls["DATABASE_OWNER_URL"], autocommit=True) as connection:
        cursor = connection.execute(statement)
        return cursor.fetchall() if cursor.description else []


def running(folder: Path) -> list[str]:
    return [server.name for server in servers(folder) if server.is_running()]


@pytest.fixture
def other_user() -> Iterator[Callable[[Path], subprocess.Popen[str]]]:
    """Starts processes that use the servers of a DATA_DIR until they are told to end."""
    code = """
        import sys; from pathlib import Path; from config import embedded
        with embedded.use(embedded.servers_for(Path(sys.argv[1]), {})):
            print("in use", flush=True); sys.stdin.read()
    """
    started: list[subprocess.Popen[str]] = []

    def start(folder: Path) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(code), str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def wait_for_use(process: subprocess.Popen[str]) -> None:
    assert process.stdout is not None
    assert process.stdout.readline() == "in use\n"


def test_both_servers_serve_and_stop_with_their_last_user(new_data_dir):
    with embedded.use(servers(new_data_dir)) as urls:
        assert execute(urls, "SELECT extname FROM pg_extension ORDER BY 1") == [
            ("plpgsql",),
            ("vector",),
        ]
        assert execute(urls, "SELECT rolsuper FROM pg_roles WHERE rolname = current_user") == [
            (False,)
        ]
        assert execute(urls, "SHOW fsync") == [("on",)]
        assert execute(urls, "SELECT lower('ÁÑÜ')") == [("áñü",)]
        assert redis.Redis.from_url(urls["REDIS_URL"]).ping()
    assert running(new_data_dir) == []
    assert postgres_pid(new_data_dir) is None


def test_where_they_will_be_is_known_before_they_start(data_dir):
    with embedded.keep(servers(data_dir)) as urls:
        assert running(data_dir) == []
        embedded.ensure_running(servers(data_dir))
        with embedded.use(servers(data_dir)) as same:
            assert urls == same
        assert execute(urls, "SELECT 1") == [(1,)]  # whoever else used them was not the last
    assert running(data_dir) == []


def test_what_was_kept_and_never_started_is_left_without_a_trace(data_dir):
    with embedded.keep(servers(data_dir)):
        pass
    assert running(data_dir) == []
    assert not (data_dir / "postgres").exists()


def test_the_service_logs_in_as_somebody_who_owns_nothing(data_dir):
    with (
        embedded.use(servers(data_dir)) as urls,
        psycopg.connect(urls["DATABASE_URL"], autocommit=True) as service,
    ):
        for role in ROLES:
            service.execute(f"SET ROLE {role}")
        service.execute("RESET ROLE")
        for role in (OWNER, "postgres"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                service.execute(f"SET ROLE {role}")
        rights = "SELECT rolsuper, rolinherit, rolcreaterole, rolcreatedb, rolbypassrls"
        found = service.execute(f"{rights} FROM pg_roles WHERE rolname = current_user").fetchall()
        assert found == [(False, False, False, False, False)]


def test_data_of_an_earlier_version_gets_the_roles_at_the_start(data_dir):
    postgres, _ = servers(data_dir)
    assert isinstance(postgres, PostgresServer)
    with embedded.use([postgres]), psycopg.connect(postgres.url_for("postgres")) as superuser:
        for role in (*ROLES, SERVICE):
            superuser.execute(f"DROP ROLE {role}")

    with embedded.use([postgres]) as urls, psycopg.connect(urls["DATABASE_URL"]) as service:
        service.execute(f"SET ROLE {ROLES[0]}")


def test_data_is_there_again_after_everything_was_killed(data_dir):
    with embedded.use(servers(data_dir)) as urls:
        execute(urls, "CREATE TABLE note (text text)")
        execute(urls, "INSERT INTO note VALUES ('kept')")
        redis.Redis.from_url(urls["REDIS_URL"]).set("note", "kept")
        os.kill(postgres_pid(data_dir) or 0, signal.SIGKILL)
        os.kill(redis_pid(data_dir) or 0, signal.SIGKILL)
        assert wait_until(lambda: running(data_dir) == [], timeout_seconds=WAIT_SECONDS)
        assert embedded.ensure_running(servers(data_dir)) == ["postgres", "redis"]
        assert execute(urls, "SELECT text FROM note") == [("kept",)]
        assert redis.Redis.from_url(urls["REDIS_URL"]).get("note") == b"kept"


@pytest.mark.timeout(180)
def test_a_server_that_somebody_asked_to_stop_is_started_anew_and_waits_for_no_client(data_dir):
    """PostgreSQL waits for its clients after SIGTERM, and takes no others: pools never leave."""
    with embedded.use(servers(data_dir)) as urls, psycopg.connect(urls["DATABASE_OWNER_URL"]):
        stopping = postgres_pid(data_dir)
        os.kill(stopping or 0, signal.SIGTERM)
        stopped = wait_until(
            lambda: not servers(data_dir)[0].is_running(), timeout_seconds=WAIT_SECONDS
        )
        assert stopped

        assert embedded.ensure_running(servers(data_dir)) == ["postgres"]

        assert postgres_pid(data_dir) != stopping
        assert execute(urls, "SELECT 1") == [(1,)]


@pytest.mark.timeout(180)
def test_a_server_that_dies_while_it_is_waited_for_is_not_waited_for_any_longer(
    data_dir, monkeypatch
):
    """As one is that somebody else had begun to start."""
    with embedded.use(servers(data_dir)):
        server = servers(data_dir)[0]
        pid_file = server.folder / "postmaster.pid"
        lines = pid_file.read_text().splitlines()
        pid_file.write_text("\n".join([*lines[:7], "starting"]) + "\n")
        pid = postgres_pid(data_dir) or 0
        waiting = threading.Event()

        def wait(*args: Any, **options: Any) -> bool:
            waiting.set()
            return wait_until(*args, **options)

        def kill() -> None:
            assert waiting.wait(WAIT_SECONDS)
            os.kill(pid, signal.SIGKILL)

        monkeypatch.setattr("config.embedded.postgres.wait_until", wait)
        killing = threading.Thread(target=kill)
        killing.start()
        with pytest.raises(embedded.EmbeddedServerError, match="does not start"):
            embedded.ensure_running([server])
        killing.join()

        assert embedded.ensure_running([server]) == ["postgres"]


def test_what_an_older_redis_has_written_is_there(data_dir):
    """Redis 6.2, which was embedded until November 2026, kept its commands in one file."""
    folder = data_dir / "redis"
    folder.mkdir(mode=0o700, parents=True)
    (folder / "appendonly.aof").write_bytes(
        b"*2\r\n$6\r\nSELECT\r\n$1\r\n0\r\n*3\r\n$3\r\nSET\r\n$4\r\nnote\r\n$4\r\nkept\r\n"
    )
    with embedded.use(servers(data_dir)) as urls:
        assert redis.Redis.from_url(urls["REDIS_URL"]).get("note") == b"kept"


BEYOND_QUEUES = [
    "CONFIG SET dir /tmp",
    "MODULE LOAD /tmp/evil.so",
    "FUNCTION LOAD x",
    "DEBUG SLEEP 0",
    "REPLICAOF 127.0.0.1 1",
    "MIGRATE 127.0.0.1 1 note 0 1",
    "RESTORE note 0 x",
    "ACL SETUSER default +@all",
    "SAVE",
    "FLUSHALL",
    "SHUTDOWN NOSAVE",
    "MONITOR",
]


def test_redis_can_be_made_to_do_nothing_but_queues_and_counters(data_dir):
    with embedded.use(servers(data_dir)) as urls:
        client = redis.Redis.from_url(urls["REDIS_URL"])
        for command in BEYOND_QUEUES:
            with pytest.raises(redis.ResponseError, match="no permissions|not allowed"):
                client.execute_command(*command.split())
        assert client.eval("return redis.call('SET', KEYS[1], 'kept')", 1, "note") == b"OK"
        assert client.get("note") == b"kept"


def test_redis_is_new_enough_for_what_is_known_of_older_ones(data_dir):
    """Valkey 9.1.2: CVE-2025-49844, -46817, -46818, -46819, -67733, CVE-2026-21863 and -27623."""
    with embedded.use(servers(data_dir)) as urls:
        info = redis.Redis.from_url(urls["REDIS_URL"]).info("server")
    assert tuple(map(int, info["valkey_version"].split("."))) >= (9, 1, 2)


def test_a_redis_that_hangs_ends_before_another_one_starts(data_dir, monkeypatch):
    """Two would write the same file."""
    monkeypatch.setattr(
        "config.embedded.redis.STOP_SIGNALS", ((signal.SIGTERM, 0.2), (signal.SIGKILL, 5.0))
    )
    with embedded.use(servers(data_dir)) as urls:
        redis.Redis.from_url(urls["REDIS_URL"]).set("note", "kept")
        hanging = redis_pid(data_dir) or 0
        os.kill(hanging, signal.SIGSTOP)

        assert embedded.ensure_running(servers(data_dir)) == ["redis"]

        assert redis_pid(data_dir) != hanging
        assert not psutil.pid_exists(hanging) or is_zombie(hanging)
        assert redis.Redis.from_url(urls["REDIS_URL"]).get("note") == b"kept"


def is_zombie(pid: int) -> bool:
    return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE


def test_servers_stay_while_somebody_uses_them(data_dir, other_user):
    other = other_user(data_dir)
    wait_for_use(other)
    pid = postgres_pid(data_dir)
    with embedded.use(servers(data_dir)):
        assert postgres_pid(data_dir) == pid
    assert running(data_dir) == ["postgres", "redis"]
    other.communicate()
    assert running(data_dir) == []


def test_a_killed_user_does_not_keep_them_alive(data_dir, other_user):
    killed = other_user(data_dir)
    wait_for_use(killed)
    killed.kill()
    killed.wait()
    assert running(data_dir) == ["postgres", "redis"]
    with embedded.use(servers(data_dir)):
        pass
    assert running(data_dir) == []


def test_many_first_users_at_once_start_one_of_each(new_data_dir, other_user):
    users = [other_user(new_data_dir) for _ in range(4)]
    for user in users:
        wait_for_use(user)
    pid = postgres_pid(new_data_dir)
    for user in users[:-1]:
        user.communicate()
    assert postgres_pid(new_data_dir) == pid
    assert running(new_data_dir) == ["postgres", "redis"]
    users[-1].communicate()
    assert running(new_data_dir) == []


def test_a_lock_file_with_the_number_of_a_stranger_is_no_obstacle(data_dir):
    with embedded.use(servers(data_dir)):
        lines = (data_dir / "postgres" / "postmaster.pid").read_text().splitlines()
    owner = (data_dir / "postgres").stat()
    for name in ("postmaster.pid", ".s.PGSQL.5432.lock"):
        stale = data_dir / "postgres" / name
        stale.write_text("\n".join([str(os.getpid()), *lines[1:]]) + "\n")
        os.chown(stale, owner.st_uid, owner.st_gid)
    (data_dir / "redis" / "redis.pid").write_text(str(os.getpid()))
    with embedded.use(servers(data_dir)) as urls:
        assert execute(urls, "SELECT 1") == [(1,)]


def test_an_interrupted_first_start_leaves_nothing_half_made(new_data_dir):
    (new_data_dir / "postgres.new" / "base").mkdir(parents=True)
    with embedded.use(servers(new_data_dir)) as urls:
        assert execute(urls, "SELECT 1") == [(1,)]
    assert not (new_data_dir / "postgres.new").exists()


def test_long_paths_and_odd_characters(new_data_dir):
    folder = new_data_dir / "with space, comma and 'quotes' + ñ" / ("long" * 25)
    assert len(os.fsencode(folder)) > SOCKET_PATH_MAX_BYTES
    try:
        with embedded.use(servers(folder)) as urls:
            assert execute(urls, "SELECT 1") == [(1,)]
            assert redis.Redis.from_url(urls["REDIS_URL"]).ping()
    finally:
        short_link(folder).unlink()


def test_only_the_missing_server_is_started(data_dir):
    wanted = embedded.servers_for(data_dir, {"DATABASE_URL": "postgresql://elsewhere/db"})
    with embedded.use(wanted) as urls:
        assert list(urls) == ["REDIS_URL"]
        assert not (data_dir / "postgres").exists()


def test_nothing_is_open_to_other_users(data_dir):
    with embedded.use(servers(data_dir)):
        for folder in ("postgres", "redis", "log"):
            assert (data_dir / folder).stat().st_mode & 0o077 == 0
        for socket in ("postgres/.s.PGSQL.5432", "redis/redis.sock"):
            assert (data_dir / socket).stat().st_mode & 0o077 == 0


def test_the_log_of_a_statement_that_fails_holds_nothing_of_its_row(data_dir):
    with embedded.use(servers(data_dir)) as urls:
        execute(urls, "CREATE TABLE people (name text PRIMARY KEY, password text)")
        add = "INSERT INTO people VALUES ('ana', 'hash-of-hers')"
        execute(urls, add)
        with pytest.raises(psycopg.errors.UniqueViolation):
            execute(urls, add)

        log = (data_dir / "log" / "postgres.log").read_text()
        assert "duplicate key value" in log
        assert "hash-of-hers" not in log
        assert "ana" not in log.partition("duplicate key value")[2]


def test_a_server_that_cannot_start_says_why(data_dir):
    with embedded.use(servers(data_dir)):
        pass
    (data_dir / "postgres" / "global" / "pg_control").unlink()
    with (
        pytest.raises(embedded.EmbeddedServerError, match="could not open file"),
        embedded.use(servers(data_dir)),
    ):
        pass


@as_root
def test_as_root_below_a_folder_that_only_root_may_enter(new_data_dir):
    new_data_dir.mkdir(mode=0o700)
    folder = new_data_dir / "data"
    with embedded.use(servers(folder)) as urls:
        assert execute(urls, "SELECT 1") == [(1,)]
        assert (folder / "postgres").stat().st_uid not in (0, 65534)
        pid = postgres_pid(folder)
        assert Path(f"/proc/{pid}").stat().st_uid == (folder / "postgres").stat().st_uid
    assert running(folder) == []
    assert new_data_dir.stat().st_mode & 0o777 == 0o700
