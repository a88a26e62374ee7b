#!/usr/bin/env python3
"""Whether reports have the same findings, with the same inputs: same.py REPORT.json..."""
import json
import sys


def findings(path):
    with open(path) as file:
        report = json.load(file)
    return sorted((f["id"], f["kind"], [i["bits"] for i in f["inputs"]]) for f in report["findings"])


first, *others = sys.argv[1:]
wanted = findings(first)
for other in others:
    if findings(other) != wanted:
        mine, theirs = {f[0] for f in wanted}, {f[0] for f in findings(other)}
        sys.exit(f"{other} differs from {first}: {sorted(mine ^ theirs)[:10] or 'other inputs'}")
print(f"the same {len(wanted)} findings, with the same inputs, in {1 + len(others)} reports")
