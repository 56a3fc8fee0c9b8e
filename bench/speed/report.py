"""A measurement to read: a table in Markdown, and its pictures."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from pathlib import Path

import psutil
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas

from bench.evaluation.plots import COLOURS, save
from bench.service import ROOT
from bench.speed.checkouts import commit_of
from bench.speed.measurement import Figure, Measurement, Picture

HEADINGS = ("what", "unit", "median (smallest – largest)", "against", "its median", "ratio", "goal")
JUDGEMENTS = {None: "", True: "reached", False: "**missed**"}
WIDTH, BAR_HEIGHT, PANEL_HEIGHT = 8.0, 0.32, 1.1  # inches


def write_measurement(measurement: Measurement, command: str, path: Path) -> list[Path]:
    """`path` is the Markdown file; the pictures become one file beside it."""
    written = [path]
    parts = [f"# {measurement.title}", f"`{command}`, {machine()}.", figure_table(measurement)]
    if measurement.pictures:
        written.append(path.with_suffix(".png"))
        draw(measurement.pictures, written[-1])
        parts.append(f"![{measurement.title}]({written[-1].name})")
    parts += measurement.notes
    path.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    return written


def machine() -> str:
    """Where and of what it was measured, and whether others worked there too."""
    info = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    names = [line.split(": ", 1)[1] for line in info.splitlines() if line.startswith("model name")]
    cores, load = psutil.cpu_count(), psutil.getloadavg()[2]
    name = names[0] if names else platform.machine()
    return f"commit {commit_of(ROOT)}, {cores} cores ({name}), load at the end {load:.1f}"


def figure_table(measurement: Measurement) -> str:
    rows = [HEADINGS, ["---"] * len(HEADINGS), *map(cells, measurement.figures)]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def cells(figure: Figure) -> Sequence[str]:
    goal = ""
    if figure.goal is not None:
        sign = "≥" if figure.at_least else "≤"
        goal = f"{sign} {number(figure.goal)}: {JUDGEMENTS[figure.is_reached]}"
    limit = Figure("", "", figure.limits) if figure.limits else None
    return (
        figure.what,
        figure.unit,
        with_noise(figure.median, figure.values),
        figure.against,
        with_noise(limit.median, limit.values) if limit else "",
        with_noise(figure.ratio, figure.ratios) if figure.ratio is not None else "",
        goal,
    )


def with_noise(median: float, values: Sequence[float]) -> str:
    if len(values) == 1:
        return number(median)
    return f"{number(median)} ({number(min(values))} – {number(max(values))})"


def number(value: float) -> str:
    """Three digits that count."""
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}"


def draw(pictures: Sequence[Picture], path: Path) -> None:
    heights = [PANEL_HEIGHT + BAR_HEIGHT * len(picture.bars) for picture in pictures]
    canvas = Canvas(figsize=(WIDTH, sum(heights)), layout="constrained")
    axes = canvas.subplots(len(pictures), squeeze=False, height_ratios=heights)[:, 0]
    for axis, picture in zip(axes, pictures, strict=True):
        draw_bars(axis, picture)
    save(canvas, path)


def draw_bars(axis: Axes, picture: Picture) -> None:
    """The first on top; its noise as a whisker."""
    bars = [(label, Figure(label, picture.unit, values)) for label, values in picture.bars.items()]
    medians = [bar.median for _, bar in bars]
    below = [bar.median - min(bar.values) for _, bar in bars]
    above = [max(bar.values) - bar.median for _, bar in bars]
    colours = [COLOURS[place % len(COLOURS)] for place in range(len(bars))]
    axis.barh(range(len(bars)), medians, xerr=[below, above], color=colours, ecolor="grey")
    axis.set_yticks(range(len(bars)), [f"{label}: {number(bar.median)}" for label, bar in bars])
    axis.invert_yaxis()
    axis.set_title(picture.title, fontsize="medium")
    axis.set_xlabel(picture.unit)
    axis.grid(visible=True, axis="x", alpha=0.3)
