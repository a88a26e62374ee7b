#!/usr/bin/env python3
"""Runs Nanoscope and the baseline on groups of functions, and prints the table.

A group shares one compilation. Its report is split into a file for each function as soon as
there is one; functions that have their file are not run again.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import table

# What a verdict says of a goal that nobody has worked on: its function was not finished.
UNTOUCHED = "the search did not come to it"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--library", default="gsl")
    parser.add_argument("--nanoscope", required=True)
    parser.add_argument("--baseline", required=True)
    parser.add_argument("--time", type=float, required=True)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--group", type=int, default=1000)
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    lines = [line.split() for line in (options.folder / "functions").read_text().splitlines()]
    functions = [symbol for _, symbol, _ in lines][:: options.every]
    options.names = names(lines)
    label = f"{options.time:g}"
    ours, theirs = options.folder / f"nanoscope-{label}", options.folder / f"baseline-{label}"
    ours.mkdir(exist_ok=True)
    theirs.mkdir(exist_ok=True)
    run_nanoscope(options, functions, ours)
    run_baseline(options, functions, theirs)
    table.show(options.folder, functions, options.names, (ours, theirs), options.time)


def names(lines):
    """What Nanoscope calls the functions: static ones of the same name by their files."""
    plain = [symbol.split(".")[0] for _, symbol, _ in lines]
    return {symbol: f"{Path(file).name}:{name}" if plain.count(name) > 1 else symbol
            for (file, symbol, _), name in zip(lines, plain)}


def run_nanoscope(options, functions, folder):
    report = folder / "report"
    symbols = {name: symbol for symbol, name in options.names.items()}
    if report.exists():  # a run before this one was ended
        split(report, folder, symbols, False)
    left = [name for name in functions if not (folder / f"{name}.json").exists()]
    for start in range(0, len(left), options.group):
        group = left[start : start + options.group]
        words = [options.nanoscope, "exceptions", f"{options.library}.bc", "-O2", "-lm", "--quiet"]
        # Findings are counted here, as the baseline's are; nobody reads them.
        words += ["--quick", "--function-time", f"{options.time:g}", "--jobs", str(options.jobs)]
        words += ["--time-limit", str(60 * options.time * len(group) + 3600), "--json", str(report)]
        words += [word for name in group for word in ("--function", options.names[name])]
        print(f"nanoscope: {start + len(group)} of {len(left)} functions", file=sys.stderr)
        spend(words, options.folder, folder / "cpu")
        split(report, folder, symbols, True)
        for name in group:
            path = folder / f"{name}.json"
            if not path.exists():  # it has no goals
                path.write_text("[]")


def run_baseline(options, functions, folder):
    for start in range(0, len(functions), options.group):
        group = functions[start : start + options.group]
        words = [options.baseline, f"{options.library}.bc", f"{options.time:g}", str(folder)]
        print(f"baseline: {start + len(group)} of {len(functions)} functions", file=sys.stderr)
        # Only a Nanoscope that found something may end with status 1.
        spend(words + [options.names[name] for name in group], options.folder, folder / ".cpu", (0,))


def spend(words, folder, note, fine=(0, 1)):
    """Runs a command and writes down the processor time it took. It does not outlive us: it
    would write into the report of a run that goes on from here."""
    words = ["setpriv", "--pdeathsig", "KILL", *words]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    status = subprocess.run(words, cwd=folder, stdout=subprocess.DEVNULL).returncode
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    with note.open("a") as file:
        print(f"{used:.1f}", file=file)
    if status not in fine:
        sys.exit(f"{words[3]} failed with status {status}")


def split(report, folder, symbols, finished):
    """Gives every function of a report that is finished a file of its own."""
    verdicts = {}
    document = json.loads(report.read_text())
    engines = {finding["id"]: finding["engine"] for finding in document["findings"]}
    for verdict in document["verdicts"]:
        verdict["engine"] = engines.get(verdict["goal"])
        name = verdict["function"]
        verdicts.setdefault(symbols.get(name, name), []).append(verdict)
    for name, list in verdicts.items():
        if finished or not any(UNTOUCHED in verdict["why"] for verdict in list):
            part = folder / f".{name}"
            part.write_text(json.dumps(list))
            os.replace(part, folder / f"{name}.json")
    report.unlink()


if __name__ == "__main__":
    main()
