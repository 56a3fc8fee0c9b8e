"""The benchmarks of speed: what is judged and how it is written down, what is asked, and how."""

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import StringIO
from pathlib import Path
from subprocess import PIPE, Popen
from threading import Thread
from types import SimpleNamespace

import docx
import psutil
import pypdfium2
import pytest
from django.core.management import call_command

from bench.management.commands import bench as command
from bench.service import ROOT
from bench.speed import checkouts, memory, query, start
from bench.speed.corpus import read_corpus
from bench.speed.load import Request, send
from bench.speed.measurement import Figure, Measurement, Picture
from bench.speed.processes import (
    GIGABYTE,
    cpu_seconds,
    processes_below,
    pss_by_program,
    pss_bytes,
)
from bench.speed.product import product_hits
from bench.speed.report import figure_table, number, write_measurement

pytestmark = pytest.mark.slow

SLOWED = Figure("answer", "ms", [20, 60, 30], "bare", [10, 20, 10], goal=2.5)
MEASURED = Measurement(
    "Speed", [SLOWED], notes=["Said plainly."], pictures=[Picture("Time", "ms", {"ours": [1, 2]})]
)


def test_the_ratio_is_of_the_rounds_not_of_the_medians():
    assert SLOWED.median == 30
    assert SLOWED.ratios == [2, 3, 3]
    assert SLOWED.ratio == 3


@pytest.mark.parametrize(
    ("figure", "is_reached"),
    [
        (SLOWED, False),
        (Figure("answer", "ms", [20], "bare", [10], goal=2), True),
        (Figure("answers", "a second", [20], "peer", [10], goal=2, at_least=True), True),
        (Figure("answers", "a second", [19], "peer", [10], goal=2, at_least=True), False),
        (Figure("memory", "GB", [1.0, 0.9, 3.0], goal=1.0), True),
        (Figure("memory", "GB", [1.1], goal=1.0), False),
        (Figure("memory", "GB", [1.1]), None),
    ],
)
def test_a_goal_is_of_the_ratio_or_else_of_the_figure(figure: Figure, is_reached: bool | None):
    assert figure.is_reached is is_reached


@pytest.mark.parametrize(("values", "limits"), [([], []), ([1, 2], [1])])
def test_a_round_without_a_value_is_refused(values: list[float], limits: list[float]):
    with pytest.raises(ValueError, match="answer"):
        Figure("answer", "ms", values, "bare", limits)


def test_the_table_shows_figure_noise_limit_and_goal():
    assert figure_table(Measurement("", [SLOWED])).splitlines()[2] == (
        "| answer | ms | 30 (20 – 60) | bare | 10 (10 – 20) | 3 (2 – 3) | ≤ 2.5: **missed** |"
    )
    memory = Figure("memory", "GB", [0.95], goal=1)
    assert figure_table(Measurement("", [memory])).splitlines()[2] == (
        "| memory | GB | 0.95 |  |  |  | ≤ 1: reached |"
    )


@pytest.mark.parametrize(
    ("value", "text"), [(1234.5, "1,234"), (45.67, "45.7"), (0.01234, "0.0123"), (100, "100")]
)
def test_numbers_have_three_digits_that_count(value: float, text: str):
    assert number(value) == text


def test_a_report_is_a_document_and_its_pictures(tmp_path: Path):
    written = write_measurement(MEASURED, "bin/manage bench x", tmp_path / "speed-x.md")
    assert [path.name for path in written] == ["speed-x.md", "speed-x.png"]
    text = written[0].read_text()
    assert text.startswith("# Speed\n\n`bin/manage bench x`, commit ")
    assert "| answer | ms |" in text
    assert "![Speed](speed-x.png)" in text
    assert text.endswith("Said plainly.\n")
    assert written[1].read_bytes().startswith(b"\x89PNG")


def test_the_command_hands_its_options_to_the_module_it_names(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    asked = []

    def measure(options: dict[str, object]) -> Measurement:
        asked.append((options["rounds"], options["wide"]))
        return MEASURED

    module = SimpleNamespace(
        HELP="A test's", add_arguments=lambda parser: parser.add_argument("--wide"), measure=measure
    )
    monkeypatch.setattr(command, "NAMES", ("query", "not_written_yet"))
    monkeypatch.setattr(command, "find_spec", lambda name: name.endswith("query"))
    monkeypatch.setattr(command, "import_module", {"bench.speed.query": module}.__getitem__)
    output, errors = StringIO(), StringIO()
    call_command(
        "bench",
        *("query", "--rounds", "3", "--wide", "yes", "--json"),
        *("--report", "x", "--results", str(tmp_path)),
        stdout=output,
        stderr=errors,
    )
    assert asked == [(3, "yes")]
    figures = json.loads(output.getvalue())["figures"]
    assert [(row["median"], row["ratio"], row["is_reached"]) for row in figures] == [(30, 3, False)]
    assert "bin/manage bench query --rounds 3" in (tmp_path / "speed-x.md").read_text()
    assert f"written: {tmp_path / 'speed-x.png'}" in errors.getvalue()


# --- Corpus ---------------------------------------------------------------------------------------

LONG = "A paragraph that fills more than half of a page. " * 50


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Two articles in both languages, a question on each of one's paragraphs."""
    folder = tmp_path / "data"
    (folder / "wiki").mkdir(parents=True)
    for language in ("en", "es"):
        articles = [
            {
                "doc_id": name,
                "lang": language,
                "title": f"{name} <{language}>",
                "paragraphs": [
                    {"para_id": f"{name}#{number}", "text": f"{language} {number} & {LONG}"}
                    for number in range(7)
                ],
            }
            for name in ("rhine", "force")
        ]
        questions = [
            {"question": f"{language} {number}?", "para_id": f"rhine#{number}"}
            for number in range(7)
        ]
        others = [
            {"question": f"{language} thanks!", "kind": "chitchat"},
            {"question": f"{language} opening hours?", "kind": "customer"},
        ]
        write_lines(folder / "wiki" / f"corpus.{language}.jsonl", articles)
        write_lines(folder / "wiki" / f"questions.{language}.jsonl", questions)
        write_lines(folder / "wiki" / f"unanswerable.{language}.jsonl", others)
    return folder


def write_lines(path: Path, rows: Sequence[Mapping[str, object]]) -> None:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))


def test_the_same_data_gives_the_same_corpus(data: Path):
    first, second = read_corpus(data), read_corpus(data)
    assert first == second
    names = [file.name for file in first.files]
    assert names[:5] == [
        "rhine-en-1.txt",
        "rhine-en-2.md",
        "rhine-en-3.docx",
        "force-en-1.pdf",
        "force-en-2.txt",
    ]
    assert len(set(names)) == len(names) == 10
    assert sorted(first.off_topic) == ["en opening hours?", "es opening hours?"]


def test_a_part_of_the_corpus_is_asked_about_itself_alone(data: Path):
    part = read_corpus(data).first(3)
    assert [file.name for file in part.files] == [
        "rhine-en-1.txt",
        "rhine-en-2.md",
        "rhine-en-3.docx",
    ]
    assert len(part.questions) == 14
    assert all(item.page is None for item in part.questions)
    assert read_corpus(data).first(1).files[0].pages.keys() == {"rhine#0", "rhine#1", "rhine#2"}
    assert {item.text for item in read_corpus(data).first(1).questions} == {
        f"{language} {number}?" for language in ("en", "es") for number in range(3)
    }


def test_every_file_holds_its_paragraphs(data: Path, tmp_path: Path):
    corpus = read_corpus(data)
    for path, file in zip(corpus.write(tmp_path), corpus.files, strict=True):
        assert len(file.pages) in (1, 3, 4)
        text = read_text(path)
        for key in file.pages:
            language = "es" if "-es-" in file.name else "en"
            assert f"{language} {key.split('#')[1]} & A paragraph" in text


def test_a_question_knows_the_files_of_both_languages_and_the_page_of_its_own(data: Path):
    corpus = read_corpus(data)
    question = next(item for item in corpus.questions if item.text == "es 6?")
    assert question.files == {"rhine-en-3.docx", "rhine-es-3.pdf"}
    assert question.page == ("rhine-es-3.pdf", 1)
    assert all(item.page is None for item in corpus.questions if item.text.startswith("en"))


def test_a_paragraph_stands_on_the_page_that_is_said(data: Path):
    for file in read_corpus(data).files:
        if file.name.endswith(".pdf"):
            pages = [
                page.get_textpage().get_text_range() for page in pypdfium2.PdfDocument(file.content)
            ]
            language = "es" if "-es-" in file.name else "en"
            for key, number in file.pages.items():
                assert f"{language} {key.split('#')[1]} &" in pages[number - 1]


def read_text(path: Path) -> str:
    if path.suffix == ".docx":
        return "\n".join(item.text for item in docx.Document(str(path)).paragraphs)
    if path.suffix == ".pdf":
        return "".join(page.get_textpage().get_text_range() for page in pypdfium2.PdfDocument(path))
    return path.read_text()


# --- Clients --------------------------------------------------------------------------------------


class Echo(BaseHTTPRequestHandler):
    """Answers with what it was sent; /refused with a 429."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        sent = self.rfile.read(int(self.headers["Content-Length"])).decode()
        body = json.dumps({"sent": sent, "token": self.headers["Authorization"]}).encode()
        self.send_response(429 if self.path == "/refused" else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture
def echo() -> Iterator[int]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Echo) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield server.server_port
        server.shutdown()
        thread.join()


def test_clients_answer_in_the_order_of_the_requests(echo: int, tmp_path: Path):
    file = tmp_path / "año.txt"
    file.write_text("content")
    headers = {"Authorization": "Bearer x"}
    asked = [Request("POST", "/", f"{number}", headers=headers) for number in range(20)]
    served = send(echo, [*asked, Request("POST", "/", file=str(file))], clients=4)
    assert [body["sent"] for body in served.bodies[:20]] == [f"{number}" for number in range(20)]
    assert {body["token"] for body in served.bodies[:20]} == {"Bearer x"}
    assert 'filename="año.txt"\r\n\r\ncontent\r\n--' in served.bodies[20]["sent"]
    assert len(served.milliseconds) == 21
    assert min(served.milliseconds) > 0


def test_an_answer_that_is_no_success_ends_the_benchmark(echo: int):
    with pytest.raises(SystemExit, match="429"):
        send(echo, [Request("POST", "/", "1"), Request("POST", "/refused", "2")], clients=1)


# --- Processes ------------------------------------------------------------------------------------


def test_processor_time_and_memory_are_those_of_all_processes_below():
    busy = "import os; [None for _ in range(10**7)]; print(1, flush=True); input()"
    parent = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {busy!r}])"
    with Popen([sys.executable, "-c", parent], stdin=PIPE, stdout=PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        assert len(processes_below(process.pid)) == 2
        own = sum(psutil.Process(process.pid).cpu_times()[:2])
        assert cpu_seconds(process.pid) > own
        by_program = pss_by_program(process.pid)
        assert sum(by_program.values()) * GIGABYTE > pss_bytes(process.pid)
        process.communicate(b"\n")


# --- Contestants ----------------------------------------------------------------------------------


def test_what_an_answer_names_is_its_files_and_pages():
    body = {
        "sources": [
            {"source_file": "a.pdf", "page_or_row": "page 3"},
            {"source_file": "b.txt", "page_or_row": "paragraph 4"},
        ]
    }
    assert product_hits(body) == [("a.pdf", 3), ("b.txt", 0)]


# --- Kinds ----------------------------------------------------------------------------------------


@contextmanager
def copy_of(root: Path = ROOT) -> Iterator[SimpleNamespace]:
    """A copy of ours that never started: this checkout's weighs 1, another's 2."""
    yield SimpleNamespace(pid=1 if root == ROOT else 2)


def judged(measurement: Measurement) -> list[tuple[str, float, float | None, bool | None]]:
    return [
        (figure.what, figure.median, figure.ratio, figure.is_reached)
        for figure in measurement.figures
    ]


@pytest.mark.parametrize("other", [None, Path("/elsewhere")])
def test_memory_is_that_of_all_programs(monkeypatch: pytest.MonkeyPatch, other: Path | None):
    monkeypatch.setattr(memory, "running_service", copy_of)
    monkeypatch.setattr(memory, "time", SimpleNamespace(sleep=lambda seconds: None))
    monkeypatch.setattr(memory, "ask_demo", lambda service: None)
    monkeypatch.setattr(memory, "processes_below", lambda pid: range(20 * pid))
    monkeypatch.setattr(
        memory, "pss_by_program", lambda pid: {"web": 0.5 * pid, "beat": 0.25 * pid}
    )
    monkeypatch.setattr(checkouts, "commit_of", lambda root: "abc")
    measurement = memory.measure({"rounds": 2, "other": other})
    ratio = 0.5 if other else None
    assert judged(measurement) == [
        ("memory at rest", 0.75, None, True),
        *([("memory at rest", 0.75, 0.5, None)] if other else []),
        ("memory at rest after 100 questions", 0.75, ratio, None),
        ("processes", 20, ratio, None),
    ]
    assert measurement.pictures[0].bars == {"web": [0.5, 0.5], "beat": [0.25, 0.25]}
    assert [picture.title for picture in measurement.pictures[1:]] == (
        ["Memory at rest, ours before"] if other else []
    )


@pytest.mark.parametrize("other", [None, Path("/elsewhere")])
def test_the_first_start_is_not_a_warm_one(monkeypatch: pytest.MonkeyPatch, other: Path | None):
    taken = {ROOT: iter([90.0, 5.0, 7.0, 6.0]), Path("/elsewhere"): iter([90.0, 20.0, 28.0, 24.0])}
    monkeypatch.setattr(start, "start", lambda folder, root: (next(taken[root]), 3.0))
    monkeypatch.setattr(start, "start_bare", lambda: (61.0, 40.0))
    monkeypatch.setattr(checkouts, "commit_of", lambda root: "abc")
    measurement = start.measure({"rounds": 3, "other": other, "bare": True})
    ratio = 1.0 if other else None
    assert judged(measurement) == [
        ("warm start to ready", 6.0, None, True),
        ("processor time until ready", 3.0, ratio, None),
        *([("warm start to ready", 6.0, 0.25, None)] if other else []),
        ("first start of a bare clone to ready", 61.0, None, False),
        ("its processor time", 40.0, None, None),
    ]
    assert ("Before: commit abc." in measurement.notes) is bool(other)


def test_a_question_is_judged_by_the_least_of_its_round_and_by_the_checkout_before():
    race = query.Race(
        [query.Contestant(name, None) for name in ("ours", "ours before")],  # type: ignore[arg-type]
        None,  # type: ignore[arg-type]
        0,
        ["?"],
        ["?"],
    )
    race.values |= {
        ("ours", "alone"): [10.0, 20.0],
        ("ours", "alone p95"): [20.0, 30.0],
        ("ours", "silent"): [6.0, 9.0],
        ("ours", "empty"): [3.0, 4.0],
        ("ours", "a second"): [100.0, 90.0],
        ("ours", "cpu"): [15.0, 16.0],
        ("ours before", "alone"): [20.0, 60.0],
        ("ours before", "silent"): [12.0, 9.0],
        ("ours before", "a second"): [50.0, 20.0],
        ("ours before", "cpu"): [20.0, 40.0],
        ("bare", "embedding"): [2.5, 5.0],
        ("bare", "embedding silent"): [1.5, 1.0],
        ("bare", "round trip"): [0.5, 1.0],
    }
    figures = list(query.time_figures(race))
    assert [(figure.limits, figure.is_reached) for figure in figures[:6]] == [
        ([6.0, 10.0], True),
        ((), None),
        ([5.0, 6.0], True),
        ((), None),
        ([20.0, 40.0], False),
        ([20.0, 60.0], None),
    ]
    assert figures[4].ratio == pytest.approx(0.575)
    bars = query.pictures(race)[1].bars
    assert bars == {"ours": [100.0, 90.0], "ours before": [50.0, 20.0]}
