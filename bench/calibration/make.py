"""From what was found to a calibration with its figures."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from django.utils import timezone

from bench.calibration.collect import Found
from bench.calibration.fit import fit
from bench.calibration.report import CalibrationReport


def calibrate(
    found: Sequence[Found], model: str, on_step: Callable[[str], object]
) -> CalibrationReport:
    """`on_step` hears what is being fitted. Raises NothingToFit."""
    return CalibrationReport(fit(found, model, on_step), timezone.now().date().isoformat())
