#!/usr/bin/env python3
"""GSL's functions within their documented domains, and beyond.

usage: bench/gsl/domains.py [--time S] [--folder FOLDER] [--nanoscope BINARY] [--lines N]

Asks about every function of domains.toml twice: with nothing said of its inputs, and with the
domain that GSL documents. A row a function: the goals of overflow and of invalid operations
that are reached, impossible and open, without the domain and with it; then all goals. Below,
the places (N of them) where most of those goals are open within the domains.
"""

import collections
import re

import subject

KINDS = ["overflow", "invalid", "all"]
OUTCOMES = ["reached", "impossible", "open"]


def main():
    parser = subject.options(__doc__, time=2)
    parser.add_argument("--lines", type=int, default=20)
    chosen = subject.prepared(parser)
    project = subject.here / "domains.toml"
    functions = re.findall(r"^\[function\.(\w+)\]", project.read_text(), re.M)
    nothing = chosen.folder / "nothing.toml"
    nothing.write_text("")
    beyond = verdicts(chosen, functions, "beyond", nothing)
    within = verdicts(chosen, functions, "within", project)
    print(f"GSL 2.7.1, {len(functions)} functions, {chosen.time:g} processor seconds each; "
          "reached/impossible/open without the domain > with it")
    print(f"{'':28}" + "".join(f"{kind:>34}" for kind in KINDS))
    for function in functions:
        row(function.removeprefix("gsl_sf_"), beyond[function], within[function])
    row("together", [v for list in beyond.values() for v in list], [v for list in within.values() for v in list])
    lines = collections.Counter(
        (v["file"].rsplit("/", 1)[-1], v["line"], v["kind"], why(v["why"]))
        for list in within.values() for v in list if v["verdict"] == "open" and v["kind"] in KINDS)
    print(f"\n{sum(lines.values())} goals of overflow and invalid are open within the domains; most of them at")
    for (file, line, kind, reason), count in lines.most_common(chosen.lines):
        print(f"{count:6}  {file}:{line}  {kind}  ({reason})")


def verdicts(chosen, functions, name, project):
    """For each function its verdicts."""
    report = chosen.folder / f"domains-{name}.json"
    document = subject.exceptions(chosen, functions, report, "--quick", "--project", project)
    found = {function: [] for function in functions}
    for verdict in document["verdicts"]:
        found[verdict["function"]].append(verdict)
    return found


def row(name, beyond, within):
    cells = []
    for kind in KINDS:
        a, b = (counts([v for v in list if kind in (v["kind"], "all")]) for list in (beyond, within))
        cells.append(f"{a} > {b}")
    print(f"{name:28}" + "".join(f"{cell:>34}" for cell in cells))


def counts(list):
    count = collections.Counter(v["verdict"] for v in list)
    return "/".join(str(count[outcome]) for outcome in OUTCOMES)


def why(text):
    return re.sub(r"\d+", "N", text.split(";")[0])


if __name__ == "__main__":
    main()
