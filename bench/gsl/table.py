"""The tables of bench/gsl: verdicts by kind, and the sets that both found."""

import collections
import json
import re

KINDS = ["overflow", "underflow", "divide-by-zero", "invalid", "conversion-out-of-range", "integer-overflow"]

# The program's own arithmetic. What libm raises inside is not compared: the baseline would
# count what a library does for itself.
OWN = {"fadd", "fsub", "fmul", "fdiv", "frem", "fma", "sqrt", "fptrunc", "fptosi", "fptoui"}


def show(folder, functions, names, results, time):
    ours, theirs = results
    verdicts = {name: read(ours / f"{name}.json") for name in functions}
    tested = {name: read_baseline(theirs / names[name]) for name in functions}
    listed = [v for list in verdicts.values() for v in list]
    title = (folder / "title").read_text().strip() if (folder / "title").exists() else folder.name
    print(f"{title}, {len(functions)} functions, {time:g} processor seconds each")
    print()
    print(f"{'goals of all functions':26} {'reached':>9} {'impossible':>11} {'open':>9} {'settled':>8}")
    rows = collections.Counter((v["kind"], v["verdict"]) for v in listed)
    for kind in KINDS + ["all"]:
        counts = [sum(n for (k, o), n in rows.items() if o == outcome and kind in (k, "all"))
                  for outcome in ("reached", "impossible", "open")]
        print(f"{kind:26} {counts[0]:9} {counts[1]:11} {counts[2]:9} {share(sum(counts[:2]), sum(counts))}")
    print()
    places = {}
    for verdict in listed:
        places.setdefault(key(verdict), set()).add(verdict["verdict"])
    print(f"{'(instruction, kind) pairs':26} {'reached':>9} {'impossible':>11} {'open':>9} {'settled':>8}")
    for kind in KINDS + ["all"]:
        some = [found for (k, *_), found in places.items() if kind in (k, "all")]
        reached = sum("reached" in found for found in some)
        never = sum(found == {"impossible"} for found in some)
        print(f"{kind:26} {reached:9} {never:11} {len(some) - reached - never:9} {share(reached + never, len(some))}")
    print()
    engines = collections.Counter(v.get("engine") or "?" for v in listed if v["verdict"] == "reached")
    print("reached by", ", ".join(f"{name}: {count}" for name, count in engines.most_common()))
    causes = collections.Counter(v["proof"]["engine"] for v in listed if v["verdict"] == "impossible")
    print("impossible by", ", ".join(f"{name}: {count}" for name, count in causes.most_common()))
    reasons = collections.Counter(re.sub(r"\d+", "N", v["why"]) for v in listed if v["verdict"] == "open")
    for why, count in reasons.most_common(6):
        print(f"open: {count} ({why})")
    print()
    compare(verdicts, tested)
    for name, note in (("nanoscope", ours / "cpu"), ("baseline", theirs / ".cpu")):
        used = sum(float(line) for line in note.read_text().split()) if note.exists() else 0
        print(f"{name}: {used / 60:.1f} processor minutes, compiling and reports included")


def compare(verdicts, tested):
    found = {key(v) for list in verdicts.values() for v in list
             if v["verdict"] == "reached" and v["operation"] in OWN}
    known = set().union(*tested.values()) if tested else set()
    print("the library's own arithmetic; pairs confirmed")
    print(f"{'':26} {'nanoscope':>9} {'baseline':>9} {'ratio':>6} {'both':>6} {'of its':>7} {'missed':>7}")
    for name, reduce in (("(instruction, kind)", lambda k: k), ("(line, kind)", lambda k: k[:2])):
        for kind in KINDS + ["all"]:
            a = {reduce(k) for k in found if kind in (k[0], "all")}
            b = {reduce(k) for k in known if kind in (k[0], "all")}
            ratio = f"{len(a) / len(b):6.2f}" if b else "     -"
            print(f"{name + ' ' + kind if kind == 'all' else '  ' + kind:26} {len(a):9} {len(b):9} {ratio} "
                  f"{len(a & b):6} {share(len(a & b), len(b))} {len(b - a):6}")
    print()


def read(path):
    return json.loads(path.read_text()) if path.exists() else []


def read_baseline(path):
    """What the baseline wrote: kind, place, operation, which of several there."""
    found = set()
    for line in path.read_text().splitlines() if path.exists() else []:
        if not line.startswith("#"):
            kind, place, operation, number = line.split()[:4]
            file, row, column = place.rsplit(":", 2)
            found.add((kind, f"{file}:{row}", int(column), operation, int(number)))
    return found


def key(verdict):
    """The same of a verdict; its goal's name ends in which of several it is."""
    operation = verdict["operation"]
    tail = rf"-{verdict['line']}\.{verdict['column']}-{re.escape(operation.replace(' ', '-'))}(?:-(\d+))?$"
    number = int(re.search(tail, verdict["goal"])[1] or 1)
    place = f"{verdict['file']}:{verdict['line']}"
    return verdict["kind"], place, verdict["column"], operation, number


def share(part, whole):
    return f"{100 * part / whole:7.1f}%" if whole else "       -"
