"""What a file may do to the process that reads it, and what that does to us."""

import json
import os
import platform
import re
import signal
import socket
import subprocess
import sys
import textwrap
import threading
import time
import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from billiard import get_context

from reading.confinement import sandbox as sandbox_module
from reading.confinement.kernel import ConfinementFailed
from reading.confinement.landlock import has_landlock
from reading.confinement.limits import MEGABYTE, Limits
from reading.confinement.messages import (
    BLOCK_MAX_CHARS,
    EXIT_BROKEN_PIPE,
    EXIT_UNCONFINED,
    MESSAGE_MAX_CHARS,
    REASON_MAX_BYTES,
    RECORD_MAX_BYTES,
    STOP,
    WARNING_MAX_CHARS,
    InvalidMessage,
    Request,
    decode_result,
    divide,
    encode_block,
    encode_end,
)
from reading.confinement.sandbox import PROJECT, Reading, Sandbox
from reading.confinement.seccomp import install_filter
from reading.confinement.system_calls import AARCH64, X86_64, Architecture
from reading.errors import ReadingUnavailable
from reading.extractors.interface import TOO_LARGE
from reading.passages import MEMBERS_MAX, Block, Member
from reasons import Reason, as_reason

pytestmark = pytest.mark.slow

LIMITS = Limits(memory_bytes=200 * MEGABYTE, cpu_seconds=20, wall_seconds=30)
Read = Callable[..., Reading]
# By the wall behind which it came: an argument that is not allowed, a call that is not there, a
# file that is not there
REFUSED = ("PermissionError", "OSError", "FileNotFoundError")


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    sandbox = Sandbox("reading.tests.misbehaving")
    yield sandbox
    sandbox.stop()


@pytest.fixture
def read(sandbox: Sandbox, tmp_path: Path) -> Read:
    """`read("endings", "abort")`: runs a misbehaving extractor over a file of that content."""

    def run(extractor: str, content: str | bytes, limits: Limits = LIMITS) -> Reading:
        path = tmp_path / "file"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return sandbox.read(path, Request(extractor=extractor, limits=limits))

    return run


def outcome(reading: Reading) -> str:
    (block,) = reading.result.blocks
    return block.text


# --- What a parser cannot do ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "attempt",
    [
        "open_socket",
        "open_unix_socket",
        "run_program",
        "replace_itself",
        "fork",
        "kill_parent",
        "raise_own_limit",
    ],
)
def test_confined_process_is_refused(read: Read, attempt: str):
    assert outcome(read("attempts", attempt)) in REFUSED


def test_confined_process_reaches_no_port_of_this_machine(read: Read):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        assert outcome(read("attempts", f"connect {port}")) in REFUSED


def test_confined_process_signals_nobody(read: Read):
    assert outcome(read("attempts", f"kill {os.getpid()}")) in REFUSED


def test_io_uring_is_absent_for_the_confined_process(read: Read):
    assert outcome(read("attempts", "io_uring")) == "OSError"  # ENOSYS


@pytest.mark.parametrize("attempt", ["write", "delete", "rename", "chmod", "make_folder"])
def test_confined_process_changes_no_file(read: Read, tmp_path: Path, attempt: str):
    target = tmp_path / "kept"
    target.write_text("kept")
    if attempt == "make_folder":
        target = tmp_path / "folder"
    assert outcome(read("attempts", f"{attempt} {target}")) in REFUSED
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "kept"]


@pytest.mark.skipif(not has_landlock(), reason="this kernel has no Landlock")
def test_confined_process_reads_no_file_but_its_own_and_the_programs(read: Read, tmp_path: Path):
    secret = tmp_path / "secret"
    secret.write_text("secret")
    assert outcome(read("attempts", f"read {secret}")) in REFUSED
    assert outcome(read("attempts", f"read {PROJECT / 'manage.py'}")) in REFUSED


@pytest.mark.skipif(not has_landlock(), reason="this kernel has no Landlock")
def test_confined_process_reads_the_folder_that_its_extractor_was_prepared_with(
    sandbox: Sandbox, tmp_path: Path
):
    """A model, for example; and nothing beside it."""
    for name in ("model", "secret"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text(name)

    def read_at(name: str) -> str:
        path = tmp_path / "path"
        path.write_text(str(tmp_path / name / "file"))
        options = {"folder": str(tmp_path / "model")}
        return outcome(
            sandbox.read(path, Request(extractor="given_folder", limits=LIMITS, options=options))
        )

    assert read_at("model") == "model"
    assert read_at("secret") in REFUSED
    assert read_at("model") == "model"


@pytest.mark.parametrize("attempt", ["read_own_code", "import_late", "start_thread"])
def test_confined_process_may_do_what_parsers_need(read: Read, attempt: str):
    assert outcome(read("attempts", attempt)) == "allowed"


def test_confined_process_has_no_secret_in_its_environment(read: Read, monkeypatch):
    monkeypatch.setenv("LLM_API_KEY", "secret")
    assert str(read("endings", "say_environment").result.refusal) == "LANG,PATH"


def test_confined_process_holds_no_open_file_but_its_file_and_its_pipe(read: Read):
    descriptors = str(read("endings", "say_descriptors").result.refusal).split(",")
    assert descriptors[:3] == ["0", "1", "2"]  # /dev/null
    assert len(descriptors) == 3 + 1  # the pipe; the file has been read and closed


def test_warm_parent_has_neither_django_nor_unused_parsers(read: Read):
    assert str(read("endings", "say_modules").result.refusal) == "none"


@pytest.mark.parametrize(
    ("architecture", "header"),
    [
        (X86_64, Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h")),
        (AARCH64, Path("/usr/include/asm-generic/unistd.h")),
    ],
    ids=["x86_64", "aarch64"],
)
def test_numbers_of_system_calls_are_those_of_linux(architecture: Architecture, header: Path):
    if not header.exists():
        pytest.skip("the headers of Linux are not installed")
    defined = dict(re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", header.read_text()))
    allowed = {call.name: call.number for call in architecture.allowed}
    named = {name: number for name, number in allowed.items() if name in defined}
    assert named == {name: int(defined[name]) for name in named}
    assert len(named) > len(allowed) - 3  # newfstatat has another name in the generic header


# --- How it may end -------------------------------------------------------------------------------


def test_reading_that_ends_well_gives_its_blocks_and_its_cost(read: Read):
    reading = read("endings", "well")
    assert reading.result.blocks == (Block("survived"),)
    assert reading.result.warnings == (Reason("file_empty"),)
    assert reading.result.is_complete
    assert reading.report.status == 0
    assert 0 <= reading.report.cpu_seconds < 5
    assert 5 * MEGABYTE < reading.report.peak_bytes < 100 * MEGABYTE


def test_refusal_arrives_in_the_extractors_words(read: Read):
    result = read("endings", "refuse").result
    assert str(result.refusal) == "This file is upside down. Turn it round and upload it again."


def test_failure_of_a_parser_says_what_and_where(read: Read):
    failure = read("endings", "fail").result.failure
    assert failure.startswith("ZeroDivisionError: a bug of a parser (endings.py:")


def test_system_call_that_is_not_in_the_table_is_named_as_the_cause(read: Read):
    failure = read("endings", "open_socket").result.failure
    assert failure.startswith("OSError: [Errno 38] Function not implemented (socket.py:")
    assert failure.endswith("a system call that confinement/system_calls.py does not allow?")


@pytest.mark.parametrize(
    ("ending", "status"),
    [
        ("crash", -signal.SIGSEGV),
        ("exit", 3),
        ("exit_quietly", 0),
    ],
)
def test_sudden_end_is_reported_and_nothing_of_it_counts(read: Read, ending: str, status: int):
    reading = read("endings", ending)
    assert reading.report.status == status
    assert not reading.result.is_complete


def test_abort_ends_the_confined_process_only(read: Read, sandbox: Sandbox):
    read("endings", "well")
    warm_parent = sandbox.process_id
    # The filter refuses abort's own signal, so that the C library falls back to an illegal act.
    assert read("endings", "abort").report.status in (-signal.SIGABRT, -signal.SIGSEGV)
    assert outcome(read("endings", "well")) == "survived"
    assert sandbox.process_id == warm_parent


def test_memory_beyond_the_limit_reads_as_too_much(read: Read):
    for ending in ("fill_memory", "fill_memory_slowly"):
        reading = read("endings", ending)
        assert str(reading.result.refusal).startswith("This file contains too much text.")
        assert reading.report.peak_bytes < 300 * MEGABYTE


def test_cpu_time_is_limited(read: Read):
    report = read("endings", "burn", replace(LIMITS, cpu_seconds=1)).report
    assert (report.status, report.timed_out) == (-signal.SIGXCPU, False)


def test_cpu_time_of_a_step_is_limited(read: Read):
    report = read("endings", "burn", replace(LIMITS, step_cpu_seconds=1)).report
    assert (report.status, report.timed_out) == (-signal.SIGPROF, False)


def test_steps_that_each_end_in_time_may_take_longer_together(read: Read):
    reading = read("endings", "work_in_steps", replace(LIMITS, step_cpu_seconds=1))
    assert (reading.report.status, reading.result.warnings) == (0, (Reason("file_empty"),))
    assert reading.report.cpu_seconds > 1.7


def test_wall_time_is_limited(read: Read):
    started = time.monotonic()
    report = read("endings", "sleep", replace(LIMITS, wall_seconds=1)).report
    assert (report.status, report.timed_out) == (-signal.SIGKILL, True)
    assert time.monotonic() - started < LIMITS.wall_seconds - 5


def test_process_that_cannot_be_confined_never_sees_the_file(tmp_path: Path):
    path = tmp_path / "file"
    path.write_text("well")
    sandbox = Sandbox("reading.tests.misbehaving")
    reading = sandbox.read(path, Request(extractor="unconfinable", limits=LIMITS))
    sandbox.stop()
    assert reading.report.status == EXIT_UNCONFINED
    assert not reading.result.is_complete


@pytest.mark.parametrize(
    "field", ["memory_bytes", "cpu_seconds", "wall_seconds", "step_cpu_seconds"]
)
def test_limits_cannot_mean_without_limit(field: str):
    with pytest.raises(ValueError, match=field):
        replace(LIMITS, **{field: -1})


def test_unknown_processor_is_refused(monkeypatch):
    monkeypatch.setattr(platform, "machine", lambda: "vax")
    with pytest.raises(ConfinementFailed, match="vax"):
        install_filter()


# --- What it says is not trusted ------------------------------------------------------------------

END = json.dumps({"warnings": [], "pages": 0, "refusal": None, "failure": ""}).encode() + b"\n"


@pytest.mark.parametrize(
    "records",
    [
        b"no json\n" + END,
        b'["text", "page 1", "", false]\n' + END,
        b'["text", "page 1", "", 1, false]\n' + END,
        b'[["text"], "page 1", "", false, false]\n' + END,
        b'{"warnings": [1], "pages": 0, "refusal": null, "failure": ""}\n',
        b'{"warnings": [], "pages": "", "refusal": null, "failure": ""}\n',
        b'["NUL \\u0000", "", "", false, false, false]\n' + END,
        b'["half a pair \\ud800", "", "", false, false]\n' + END,
        b"[" * 100_000 + b"\n" + END,
        b"1" * 100_000 + b"\n" + END,
        b"\xff\xfe\n" + END,
        b'{"facts": ["a"]}\n' + END,
        b'{"facts": {"a": "text"}}\n' + END,
        b'{"facts": {"a": {"b": "text"}}}\n' + END,
        b'{"facts": {"a": [1]}}\n' + END,
        b'{"facts": {"a": [null]}}\n' + END,
        b'{"facts": {"a": [["nested"]]}}\n' + END,
        b'{"facts": {"a": ["\\u0000"]}}\n' + END,
        b'{"facts": {"a": ["one"]}}\n{"facts": {"a": ["two"]}}\n' + END,
        b'["text", "", "", false]\n{"facts": {"a": ["late"]}}\n' + END,
        b'{"facts": {"a": ["and no end"]}}\n',
        b'{"member": 1, "refusal": null, "bytes": 1}\nx' + END,
        b'{"member": "a", "refusal": null, "bytes": -1}\n' + END,
        b'{"member": "a", "refusal": null, "bytes": 52428801}\n' + END,
        b'{"member": "a", "refusal": null, "bytes": "1"}\nx' + END,
        b'{"member": "a", "refusal": null, "bytes": 9}\nshort',
        b'{"member": "a", "refusal": null, "bytes": 999}\n' + END,
        b'{"member": "a", "refusal": null, "bytes": 0}\n' * 501 + END,
        b'["a block and no end", "", "", false]\n',
        b'["cut off", "", "',
        b"",
    ],
)
def test_records_of_another_form_are_nothing(read: Read, records: bytes):
    result = read("records", records).result
    assert not result.is_complete


def test_well_formed_records_pass(read: Read):
    result = read(
        "records", b'["\\u00f1and\\u00fa", "page 1", "A", true, true, true]\n' + END
    ).result
    assert result.blocks == (Block("ñandú", "page 1", "A", True, True, is_aside=True),)
    assert result.is_complete


def test_files_pass_as_they_are_with_names_that_lead_nowhere(read: Read):
    content = b'["a line", "", "", false]\n{"facts": {}}\n\0\xff'
    member = b'{"member": "../a\\u001b.txt", "refusal": null, "bytes": %d}\n%s' % (
        len(content),
        content,
    )
    refused = b'{"member": "b.txt", "refusal": {"code": "protected", "values": {}}, "bytes": 0}\n'

    result = read("records", member + refused + END).result

    assert result.members == (
        Member("a.txt", content),
        Member("b.txt", refusal=Reason("protected")),
    )
    assert result.is_complete


def test_files_are_counted_as_they_come():
    """Two million of them would fill the memory of the worker before their end is seen."""
    record = b'{"member": "a", "refusal": null, "bytes": 0}\n'
    with pytest.raises(InvalidMessage, match="too many files"):
        decode_result(record * (MEMBERS_MAX + 1) + b"no record\n")


def test_name_that_leads_through_many_folders_is_cut_before_it_is_read():
    record = json.dumps({"member": "a/" * 400_000 + "b.txt", "refusal": None, "bytes": 0})

    tracemalloc.start()
    (member,) = decode_result(f"{record}\n".encode() + encode_end()).members
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert member.name == f"{'a/' * 98}.txt"
    assert peak < 10 * MEGABYTE


@pytest.mark.parametrize("value", ["[],", '"",', "{},", "0,"])
def test_one_endless_record_does_not_fill_the_memory_of_the_worker(value: str):
    """A line of 96 MB, decoded, would take two gigabytes."""
    data = f'["a",{value * (90 * MEGABYTE // len(value))}0]\n'.encode() + encode_end()

    tracemalloc.start()
    with pytest.raises(InvalidMessage, match="too long"):
        decode_result(data)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert peak < MEGABYTE


def test_the_longest_record_takes_memory_within_bounds(monkeypatch):
    """Tried with an eighth of its length: what it takes grows with that."""
    longest = RECORD_MAX_BYTES // 8
    monkeypatch.setattr("reading.confinement.messages.RECORD_MAX_BYTES", longest)
    line = f'["a",{"[]," * (longest // 3 - 10)}0]\n'.encode()

    tracemalloc.start()
    with pytest.raises(InvalidMessage, match="no known form"):
        decode_result(line + encode_end())
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert peak * 8 < 300 * MEGABYTE


def test_long_block_comes_in_parts_between_words():
    block = Block("ñandú 🦤 " * 400_000, "page 1", "Birds")
    result = decode_result(b"".join(map(encode_block, divide(block))) + encode_end())

    assert result.is_complete
    assert len(result.blocks) == 4
    assert {(each.location, each.section_title) for each in result.blocks} == {("page 1", "Birds")}
    assert " ".join(each.text for each in result.blocks).split() == block.text.split()
    assert all(len(each.text) <= BLOCK_MAX_CHARS for each in result.blocks)


def test_long_block_without_words_comes_in_parts():
    parts = [each.text for each in divide(Block("x" * (2 * BLOCK_MAX_CHARS + 1)))]
    assert [len(part) for part in parts] == [BLOCK_MAX_CHARS, BLOCK_MAX_CHARS, 1]


def test_facts_that_are_too_long_for_a_record_are_too_much(read: Read):
    assert read("many_facts", "x").result.refusal == TOO_LARGE


def test_words_of_any_length_are_cut():
    word = "x" * (MESSAGE_MAX_CHARS + 1)
    end = json.dumps({"warnings": [], "pages": 0, "refusal": None, "failure": word})

    assert len(decode_result(f"{end}\n".encode()).failure) == MESSAGE_MAX_CHARS


def test_words_within_a_reason_are_cut_by_an_honest_process():
    end = encode_end(warnings=[as_reason("x" * (WARNING_MAX_CHARS + 1))])

    assert decode_result(end).warnings == (as_reason("x" * WARNING_MAX_CHARS),)


@pytest.mark.parametrize(
    "reason",
    [
        "It is damaged.",
        {"code": "no_such_code", "values": {}},
        {"code": "protected", "values": {"more": "values"}},
        {"code": "text", "values": {"text": "x" * REASON_MAX_BYTES}},
    ],
)
@pytest.mark.parametrize("name", ["warnings", "refusal", "member"])
def test_what_is_not_a_reason_of_ours_is_refused(name: str, reason: object):
    record = {"warnings": [], "pages": 0, "refusal": None, "failure": ""}
    if name == "member":
        record = {"member": "a", "refusal": reason, "bytes": 0}
    else:
        record[name] = [reason] if name == "warnings" else reason

    with pytest.raises(InvalidMessage):
        decode_result(json.dumps(record).encode() + b"\n")


def test_facts_pass_as_texts(read: Read):
    facts = b'{"facts": {"links": ["/a", "/\\u00f1"], "markers": []}}\n'
    result = read("records", facts + b'["text", "", "", false, false, false]\n' + END).result
    assert result.facts == {"links": ("/a", "/ñ"), "markers": ()}
    assert result.blocks == (Block("text"),)
    assert result.is_complete


def test_text_about_escapes_is_no_escape():
    block = Block(r"JSON writes \ud83d\ude00 and \u0000 so, and \\u0000 never")
    result = decode_result(encode_block(block) + encode_end())
    assert (result.blocks, result.is_complete) == ((block,), True)


def test_endless_records_are_cut_off(read: Read, monkeypatch):
    monkeypatch.setattr(sandbox_module, "RESULT_MAX_BYTES", 1_000_000)
    reading = read("records", "FLOOD")
    # Killed, or faster: its pipe is closed.
    assert reading.report.status in (-signal.SIGKILL, EXIT_BROKEN_PIPE)
    assert reading.result.blocks == ()


# --- Extractors with settings ---------------------------------------------------------------------


@pytest.fixture
def read_prepared(sandbox: Sandbox, tmp_path: Path) -> Callable[..., tuple[str, ...]]:
    """What the extractor has been prepared with so far, in the warm parent that this test begins
    with.
    """
    path = tmp_path / "file"
    path.write_text("any")
    sandbox.stop()

    def run(extractor: str = "prepared", **options: str) -> tuple[str, ...]:
        reading = sandbox.read(path, Request(extractor=extractor, limits=LIMITS, options=options))
        return reading.result.facts["prepared"]

    return run


def test_extractor_is_prepared_with_its_options_once(read_prepared: Callable[..., tuple[str, ...]]):
    assert read_prepared(model="small") == ("small",)
    assert read_prepared(model="small") == ("small",)


def test_extractor_is_prepared_anew_when_its_options_change(
    read_prepared: Callable[..., tuple[str, ...]],
):
    assert read_prepared(model="small") == ("small",)
    assert read_prepared(model="large") == ("small", "large")
    assert read_prepared() == ("small", "large", "none")


def test_extractors_that_share_their_settings_know_of_each_other(
    read_prepared: Callable[..., tuple[str, ...]],
):
    """A PDF without language data must not leave images without it."""
    assert read_prepared("prepared", model="small") == ("small",)
    assert read_prepared("prepared_too") == ("small", "none")
    assert read_prepared("prepared", model="small") == ("small", "none", "small")


def test_extractor_that_cannot_be_prepared_is_our_fault(
    read_prepared: Callable[..., tuple[str, ...]],
):
    with pytest.raises(ReadingUnavailable):
        read_prepared(model="missing")
    assert read_prepared(model="small") == ("small",)


def test_confined_process_stands_back_for_whoever_answers_people(sandbox: Sandbox, tmp_path: Path):
    path = tmp_path / "file"
    path.write_text("any")
    reading = sandbox.read(path, Request(extractor="standing_back", limits=LIMITS))
    assert [block.text for block in reading.result.blocks] == ["19"]


# --- The warm parent ------------------------------------------------------------------------------


def test_warm_parent_is_reused(read: Read, sandbox: Sandbox):
    read("endings", "well")
    first = sandbox.process_id
    read("endings", "crash")
    read("endings", "well")
    assert sandbox.process_id == first


def test_word_to_stop_that_comes_too_late_costs_nothing(read: Read, sandbox: Sandbox):
    """The file had ended by itself meanwhile."""
    read("endings", "well")
    first = sandbox.process_id
    assert sandbox._connection is not None
    sandbox._connection.send(STOP)
    assert outcome(read("endings", "well")) == "survived"
    assert sandbox.process_id == first


def test_warm_parent_that_was_killed_is_replaced(read: Read, sandbox: Sandbox):
    read("endings", "well")
    killed = sandbox.process_id
    assert killed is not None
    os.kill(killed, signal.SIGKILL)
    assert outcome(read("endings", "well")) == "survived"
    assert sandbox.process_id != killed


@pytest.mark.canary
def test_warm_parent_killed_in_the_middle_costs_nobody_his_file(read: Read, sandbox: Sandbox):
    read("endings", "well")
    victim = sandbox.process_id
    assert victim is not None
    readings: list[Reading] = []
    limits = replace(LIMITS, wall_seconds=2)
    thread = threading.Thread(target=lambda: readings.append(read("endings", "sleep", limits)))
    thread.start()
    assert becomes_true(lambda: bool(children_of(victim)), seconds=30)
    os.kill(victim, signal.SIGKILL)
    thread.join()
    assert readings[0].report.timed_out  # by the second warm parent, at its own limit


def test_sandbox_that_cannot_start_is_our_fault(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(sandbox_module, "SERVER_MODULE", "no.such.module")
    path = tmp_path / "file"
    path.write_text("well")
    with pytest.raises(ReadingUnavailable):
        Sandbox().read(path, Request(extractor="text.plain_text", limits=LIMITS))


def test_interrupted_reading_leaves_nothing_behind(read: Read, sandbox: Sandbox, monkeypatch):
    class TimeLimit(Exception):
        """As Celery's, raised by a signal wherever the task is."""

    def interrupt(*_: object) -> None:
        raise TimeLimit

    monkeypatch.setattr(sandbox_module, "read_pipe", interrupt)
    with pytest.raises(TimeLimit):
        read("endings", "sleep")
    assert sandbox.process_id is None
    monkeypatch.undo()
    assert outcome(read("endings", "well")) == "survived"


def test_threads_of_one_worker_take_turns(read: Read, sandbox: Sandbox, tmp_path: Path):
    path = tmp_path / "shared"
    path.write_text("well")
    outcomes: list[str] = []

    def run() -> None:
        outcomes.append(outcome(sandbox.read(path, Request(extractor="endings", limits=LIMITS))))

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert outcomes == ["survived"] * 4


OWNER = """
    import sys, time
    from pathlib import Path
    from reading.confinement.messages import Request
    from reading.confinement.sandbox import DEFAULT_LIMITS, Sandbox
    sandbox = Sandbox("reading.tests.misbehaving")
    sandbox.read(Path(sys.argv[1]), Request("endings", DEFAULT_LIMITS))
    print(sandbox.process_id, flush=True)
    time.sleep(600)
"""


def test_warm_parent_ends_with_its_killed_worker(tmp_path: Path):
    path = tmp_path / "file"
    path.write_text("well")
    with subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(OWNER), str(path)],
        cwd=PROJECT,
        stdout=subprocess.PIPE,
        text=True,
    ) as owner:
        assert owner.stdout is not None
        warm_parent = int(owner.stdout.readline())
        assert is_running(warm_parent)
        owner.kill()
    assert becomes_true(lambda: not is_running(warm_parent), seconds=30)


def test_stopped_sandbox_ends_its_warm_parent(tmp_path: Path):
    path = tmp_path / "file"
    path.write_text("well")
    sandbox = Sandbox("reading.tests.misbehaving")
    sandbox.read(path, Request(extractor="endings", limits=LIMITS))
    warm_parent = sandbox.process_id
    assert warm_parent is not None
    sandbox.stop()
    assert not is_running(warm_parent)


def test_a_file_that_takes_its_time_keeps_no_other_thread_waiting(tmp_path: Path):
    slow, quick = tmp_path / "slow", tmp_path / "quick"
    slow.write_text("sleep")
    quick.write_text("well")
    sandboxes = sandbox_module.Sandboxes("reading.tests.misbehaving")
    readings: list[Reading] = []

    def read_slowly() -> None:
        readings.append(sandboxes.read(slow, Request(extractor="endings", limits=LIMITS)))

    thread = threading.Thread(target=read_slowly)
    thread.start()
    assert becomes_true(lambda: bool(children_of(sandboxes.process_id)), seconds=30)
    for _ in range(2):
        assert (
            outcome(sandboxes.read(quick, Request(extractor="endings", limits=LIMITS)))
            == "survived"
        )
    assert readings == []
    for child in children_of(sandboxes.process_id):
        os.kill(child, signal.SIGKILL)  # that the test need not wait for its limit
    thread.join()
    sandboxes.stop()


def children_of(process_id: int | None) -> list[int]:
    if process_id is None:
        return []
    children = Path(f"/proc/{process_id}/task/{process_id}/children")
    return [int(child) for child in children.read_text().split()]


def read_in_pool(path: str) -> tuple[int | None, str]:
    sandbox = sandbox_module.sandbox
    reading = sandbox.read(Path(path), Request(extractor="text.plain_text", limits=LIMITS))
    return sandbox.process_id, reading.result.blocks[0].text


def test_each_process_of_a_celery_pool_has_its_own_warm_parent(tmp_path: Path):
    """billiard's pool is what Celery forks; its processes are daemons, which may have no children
    of multiprocessing's kind."""
    path = tmp_path / "note.txt"
    path.write_text("Abrimos los sábados.")
    own = sandbox_module.sandbox
    # The parent has one before it forks.
    own.read(path, Request(extractor="text.plain_text", limits=LIMITS))
    with get_context("fork").Pool(2) as pool:
        results = pool.map(read_in_pool, [str(path)] * 6, chunksize=1)
    assert {text for _, text in results} == {"Abrimos los sábados."}
    assert own.process_id not in {process_id for process_id, _ in results}
    assert own.read(path, Request(extractor="text.plain_text", limits=LIMITS)).result.is_complete


def is_running(process_id: int) -> bool:
    try:
        state = Path(f"/proc/{process_id}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def becomes_true(condition: Callable[[], bool], *, seconds: float) -> bool:
    """Waits for what another process does."""
    deadline = time.monotonic() + seconds
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.01)
    return condition()
