"""Under which licence each package comes, as it says itself, and whether we may ship it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from importlib.metadata import Distribution

# Whose terms would reach our own code. "LGPL" is another word: \b.
REFUSED = re.compile(r"\b(A?GPL|SSPL|BUSL|Affero|GNU General Public)", re.IGNORECASE)
# In wheels, under the GPL, where the wheel's own licence says something else.
REFUSED_LIBRARIES = re.compile(r"^lib(x264|x265|xvid|postproc|jbig)\b")
# What is shipped all the same, and why.
ACCEPTED = {
    "av/libx264": "comes with PyAV's FFmpeg; nothing encodes video (decision 0008)",
    "av/libx265": "likewise",
    "tesserocr/libjbig": "comes with its libtiff; a separate library that nothing of ours calls",
}


def licence_of(package: Distribution) -> str:
    """An SPDX expression where the package has one, else its own words; "" without any."""
    said, words = (
        "".join(package.metadata.get_all(field) or [])
        for field in ("License-Expression", "License")
    )
    classifiers = package.metadata.get_all("Classifier") or []
    named = [one.rpartition("::")[2].strip() for one in classifiers if one.startswith("License")]
    return said or ", ".join(named) or words.strip().partition("\n")[0][:80]


def list_refused(components: Sequence[Mapping[str, object]]) -> list[str]:
    """Of a bill's components: "name: licence"."""
    return [
        f"{component['name']}: {licence}"
        for component in components
        if (licence := refusal(component)) and component["name"] not in ACCEPTED
    ]


def refusal(component: Mapping[str, object]) -> str:
    """Why it may not be shipped; "" when it may."""
    name = str(component["name"]).rpartition("/")[2]
    if REFUSED_LIBRARIES.search(name):
        return "GPL"
    said = str(component.get("licenses", ""))
    return said if REFUSED.search(said) else ""
