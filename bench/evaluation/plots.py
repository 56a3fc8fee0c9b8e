"""The curves of a run as pictures. Colours are Okabe and Ito's, told apart also by colour-blind
people, and no line is told by its colour alone."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from bench.evaluation.curves import TradeOff
from bench.evaluation.rows import Row

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
DASHES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 1)), (0, (8, 2)))
LANGUAGES = {"en": "English", "es": "Spanish"}
OUTCOMES = ("answered", "unsure", "redirected", "small_talk")
DOTS_PER_INCH = 90
# Of requirements.py: so many companies' questions without an answer may get sources, be answered
SILENT_FLOOR = 0.02
NEAR_TOPIC_FLOOR = 0.15


def draw_gate(curves: Sequence[TradeOff], path: Path) -> None:
    figure, axes = panels("The relevance gate: what gets sources", 2)
    for axis, language in zip(axes, LANGUAGES, strict=True):
        of_language = [curve for curve in curves if curve.language == language]
        draw_trade_offs(axis, of_language)
        axis.axvline(SILENT_FLOOR, color="grey", linewidth=1, linestyle=":")
        axis.set_xlim(-0.002, 0.15)
        axis.set_ylim(0.8, 1)
        axis.set_title(LANGUAGES[language], fontsize="medium")
        label_axes(axis, "unanswerable with sources", "answerable with sources")
    save(figure, path)


def draw_certainty(curves: Sequence[TradeOff], path: Path) -> None:
    figure, (axis,) = panels("Certainty: what is answered, and not only quoted", 1)
    draw_trade_offs(axis, curves, names_language=True)
    axis.axvline(NEAR_TOPIC_FLOOR, color="grey", linewidth=1, linestyle=":")
    axis.set_xlim(0, 1)
    axis.set_ylim(0, 1)
    label_axes(axis, "on the topic, without an answer: answered", "answerable: answered")
    save(figure, path)


def draw_trade_offs(
    axis: Axes, curves: Sequence[TradeOff], *, names_language: bool = False
) -> None:
    for number, curve in enumerate(curves):
        language = f", {LANGUAGES[curve.language]}" if names_language else ""
        label = f"{curve.name.replace('_', ' ')}{language} ({curve.questions})"
        x, y = [point.wrong for point in curve.points], [point.kept for point in curve.points]
        axis.plot(x, y, label=label, **look(number))
        operating = curve.operating
        colour = COLOURS[number % len(COLOURS)]
        axis.plot(operating.wrong, operating.kept, "o", color=colour, markersize=7, clip_on=False)
    axis.plot([], [], "o", color="grey", label="operating point")
    axis.legend(loc="lower right", fontsize="small")


def draw_speed(rows: Sequence[Row], path: Path) -> None:
    figure, (axis,) = panels("Time to the whole answer", 1)
    for number, outcome in enumerate(OUTCOMES):
        times = sorted(row.milliseconds for row in rows if row.outcome == outcome)
        if times:
            shares = [rank / len(times) for rank in range(1, len(times) + 1)]
            label = f"{outcome.replace('_', ' ')} ({len(times)})"
            axis.plot(times, shares, label=label, **look(number))
    axis.set_xscale("log")
    axis.set_ylim(0, 1)
    axis.legend(loc="lower right", fontsize="small")
    label_axes(axis, "milliseconds, one question at a time", "share of the questions")
    save(figure, path)


def panels(title: str, count: int) -> tuple[Figure, list[Axes]]:
    figure = Figure(figsize=(5.5 * count + 0.5, 4.4), layout="constrained")
    figure.suptitle(title)
    return figure, [figure.add_subplot(1, count, number) for number in range(1, count + 1)]


def look(number: int) -> dict[str, Any]:
    dash = DASHES[number % len(DASHES)]
    return {"color": COLOURS[number % len(COLOURS)], "linestyle": dash, "linewidth": 1.8}


def label_axes(axis: Axes, x: str, y: str) -> None:
    axis.set_xlabel(x)
    axis.set_ylabel(y)
    axis.grid(visible=True, alpha=0.3)
    for side in (axis.xaxis, axis.yaxis):
        if side.get_scale() == "linear":
            side.set_major_formatter(PercentFormatter(1))


def save(figure: Figure, path: Path) -> None:
    figure.savefig(path, dpi=DOTS_PER_INCH, metadata={"Software": None})
