"""python -m bench.supply: what CI asks of what we ship. Writes var/sbom.json.

Ends with 1 for a licence that we may not ship, and for a severe advisory that nobody has handled;
never for want of a network. Warns of an image without a digest, and of old advisories.
"""

import json
import re
import sys
from datetime import UTC, datetime

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from bench.supply.advisories import OLD_DAYS, find_known, read_advisories
from bench.supply.bill import make_bill
from bench.supply.licences import list_refused
from bench.supply.locking import ROOT

BILL = ROOT / "var" / "sbom.json"
IMAGE = re.compile(r"^ARG PYTHON_IMAGE=\S+@sha256:[0-9a-f]{64}$", re.MULTILINE)


def main() -> None:
    bill = make_bill()
    text = json.dumps(bill, indent=1)
    invalid = JsonStrictValidator(SchemaVersion.V1_6).validate_str(text)
    BILL.parent.mkdir(exist_ok=True)
    BILL.write_text(text)
    refused = list_refused(bill["components"])
    collected, known = read_advisories()
    findings = find_known(bill["components"], known)
    age = (datetime.now(UTC).date() - collected).days
    print(f"{len(bill['components'])} components in {BILL}")
    print(f"{len(known)} advisories, {age} days old; {len(findings)} of them are of what we ship:")
    print("\n".join(f"  {finding}" for finding in findings))
    if age > OLD_DAYS:
        print("  old: run python -m bench.supply.advisories --refresh")
    if not IMAGE.search((ROOT / "Dockerfile").read_text()):
        print("The Dockerfile names its image without a digest (docs/operations.md, Container)")
    for problem in [*refused, *([str(invalid)] if invalid else [])]:
        print(f"NOT TO BE SHIPPED: {problem}")
    sys.exit(bool(invalid or refused or any(finding.stops for finding in findings)))


if __name__ == "__main__":
    main()
