"""What is known of what we ship. advisories.json is read, which needs no network; it has a date.

`python -m bench.supply.advisories --refresh` asks OSV (https://osv.dev) for every pin and adds what
it did not have. Without network it says so, and changes nothing.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import requests
from packaging.specifiers import SpecifierSet

from bench.supply.bill import list_components

FILE = Path(__file__).with_name("advisories.json")
OSV = "https://api.osv.dev"
SECONDS = 20
BATCH = 500  # OSV takes 1,000 queries at once
OLD_DAYS = 60  # then CI says that it should be refreshed
SEVERE = ("high", "critical")


@dataclass(frozen=True)
class Advisory:
    """
    Args:
        affected: versions, as pip writes them: "<5.2.11".
        severity: low, medium, high or critical.
        handled: why it does not reach us, where no fixed version can be had; else empty.
    """

    id: str
    component: str
    affected: str
    severity: str
    about: str
    source: str
    handled: str = ""


@dataclass(frozen=True)
class KnownHole:
    advisory: Advisory
    version: str

    @property
    def stops(self) -> bool:
        return self.advisory.severity in SEVERE and not self.advisory.handled

    def __str__(self) -> str:
        known = self.advisory
        answer = f"handled: {known.handled}" if known.handled else "NOT HANDLED"
        return f"{known.id} ({known.severity}) in {known.component} {self.version}: {answer}"


def read_advisories() -> tuple[date, list[Advisory]]:
    """When they were last looked up, and what they say."""
    content = json.loads(FILE.read_text())
    return date.fromisoformat(content["collected"]), [Advisory(**one) for one in content["known"]]


def find_known(components: list[dict[str, Any]], known: list[Advisory]) -> list[KnownHole]:
    versions = {one["name"]: one["version"] for one in components}
    return [
        KnownHole(one, versions[one.component])
        for one in known
        if one.component in versions
        and SpecifierSet(one.affected).contains(versions[one.component], prereleases=True)
    ]


def refresh(url: str = OSV) -> int:
    """How many are new. Raises requests.RequestException, and then nothing is written."""
    pins = {one["name"]: one["version"] for one in list_components() if "purl" in one}
    _, known = read_advisories()
    new = {one for one in ask(url, pins) if one[0] not in {old.id for old in known}}
    known += [fetch(url, number, name, pins[name]) for number, name in sorted(new)]
    content = {"collected": datetime.now(UTC).date().isoformat(), "known": [*map(asdict, known)]}
    FILE.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n")
    return len(new)


def ask(url: str, pins: dict[str, str]) -> set[tuple[str, str]]:
    """Ids of advisories, each with the package."""
    found = set()
    names = sorted(pins)
    for start in range(0, len(names), BATCH):
        batch = names[start : start + BATCH]
        queries = [
            {"package": {"name": name, "ecosystem": "PyPI"}, "version": pins[name].split("+")[0]}
            for name in batch
        ]
        answer = requests.post(f"{url}/v1/querybatch", json={"queries": queries}, timeout=SECONDS)
        answer.raise_for_status()
        for name, result in zip(batch, answer.json()["results"], strict=True):
            found |= {(one["id"], name) for one in result.get("vulns", [])}
    return found


def fetch(url: str, number: str, name: str, version: str) -> Advisory:
    answer = requests.get(f"{url}/v1/vulns/{number}", timeout=SECONDS)
    answer.raise_for_status()
    content = answer.json()
    # Unknown is not harmless.
    severity = content.get("database_specific", {}).get("severity", "HIGH").lower()
    about = content.get("summary") or content.get("details", "")
    return Advisory(
        id=number,
        component=name,
        affected=f"=={version}",
        severity="medium" if severity == "moderate" else severity,
        about=about[:200],
        source=f"https://osv.dev/vulnerability/{number}",
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--refresh", action="store_true")
    if parser.parse_args().refresh:
        try:
            print(f"{refresh()} new advisories in {FILE.name}")
        except requests.RequestException as error:
            print(f"OSV does not answer, and nothing is changed: {type(error).__name__}")
    collected, known = read_advisories()
    findings = find_known(list(list_components()), known)
    print("\n".join(map(str, findings)))
    print(f"{len(known)} advisories, collected {collected}")
    sys.exit(any(finding.stops for finding in findings))


if __name__ == "__main__":
    main()
