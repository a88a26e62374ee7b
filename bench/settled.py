#!/usr/bin/env python3
"""How a report's goals ended, function by function: settled.py REPORT.json"""
import collections
import json
import sys


def main():
    report = json.load(open(sys.argv[1]))
    counts = collections.defaultdict(collections.Counter)
    for verdict in report["verdicts"]:
        counts[verdict["function"]][verdict["verdict"]] += 1
    harms = collections.Counter()
    for finding in report["findings"]:
        harm = finding.get("details", {}).get("harm", "none")
        harms[harm if isinstance(harm, str) else harm.get("effect", "unclassified")] += 1
    print(f"{'function':<32}{'goals':>7}{'reached':>9}{'impossible':>12}{'open':>7}{'settled':>9}")
    total = collections.Counter()
    for function, count in sorted(counts.items()):
        row(function, count)
        total.update(count)
    row("all", total)
    print("by harm:", ", ".join(f"{n} {name}" for name, n in harms.most_common()))
    for note in report.get("notes", []):
        if note["text"].startswith(("not run", "left out")):
            print("note:", note["text"])


def row(name, count):
    goals = sum(count.values())
    settled = goals - count["open"]
    print(
        f"{name[:31]:<32}{goals:>7}{count['reached']:>9}{count['impossible']:>12}{count['open']:>7}"
        f"{100 * settled / max(goals, 1):>8.1f}%"
    )


main()
