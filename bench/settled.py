#!/usr/bin/env python3
"""How a report's goals ended, function by function, and why those are open that are:
settled.py REPORT.json"""
import collections
import json
import re
import sys

# What stands in the sentence that tells why a goal is open, and what that is in short; the first that
# fits counts. What was tried and ran out of time comes last: most of it wants a proof.
CAUSES = [
    ("a call that is not modelled", r"is not modelled|whose code is not among|nowhere to be found"),
    ("not run", r"^not run|^not searched for"),
    ("seen in our representation, not in the original", r"candidates? did not show it"),
    ("a loop's bound", r"bound on iterations of a loop"),
    ("a question that the solver did not decide", r"undecided|solver"),
    ("nothing gets there in the time", r"no input was found that gets here"),
    ("neither shown nor proved in the time", r"time limit|was stopped|no longer came nearer"),
]


def main():
    report = json.load(open(sys.argv[1]))
    counts = collections.defaultdict(collections.Counter)
    for verdict in report["verdicts"]:
        counts[verdict["function"]][verdict["verdict"]] += 1
    harms = collections.Counter(harm_of(f).get("effect", "none") for f in report["findings"])
    print(f"{'function':<32}{'goals':>7}{'reached':>9}{'impossible':>12}{'open':>7}{'settled':>9}")
    total = collections.Counter()
    for function, count in sorted(counts.items()):
        row(function, count)
        total.update(count)
    row("all", total)
    causes = collections.Counter(
        cause(verdict["why"]) for verdict in report["verdicts"] if verdict["verdict"] == "open"
    )
    for name, count in causes.most_common():
        print(f"open: {count:>6}  {name}")
    print("by harm:", ", ".join(f"{n} {name}" for name, n in harms.most_common()))
    unclassified = collections.Counter(
        harm["why"] for harm in map(harm_of, report["findings"]) if harm.get("effect") == "unclassified"
    )
    for why, count in unclassified.most_common():
        print(f"unclassified: {count:>5}  {why}")
    for note in report.get("notes", []):
        if note["text"].startswith(("not run", "left out")):
            print("note:", note["text"])


def cause(why):
    """The first of the causes that the sentence names."""
    return next((name for name, words in CAUSES if re.search(words, why)), "something else")


def harm_of(finding):
    """What a finding did, as far as it was judged."""
    harm = finding.get("details", {}).get("harm", {})
    return harm if isinstance(harm, dict) else {}


def row(name, count):
    goals = sum(count.values())
    settled = goals - count["open"]
    print(
        f"{name[:31]:<32}{goals:>7}{count['reached']:>9}{count['impossible']:>12}{count['open']:>7}"
        f"{100 * settled / max(goals, 1):>8.1f}%"
    )


main()
