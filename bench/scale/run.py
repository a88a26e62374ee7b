#!/usr/bin/env python3
"""Time and memory of `nanoscope exceptions` over the size of the work, with the exponent of growth.

    bench/scale/run.py [build] [ranges] [whole] [functions] [jobs] [depth] [length]

Each series makes programs of growing size, runs the command on each with a cache of its own, and
fits time = c * n^e to the larger half by least squares of the logarithms. Time is processor time,
compilers and workers included, so that it says something on a busy machine. See bench/README.md.
"""

import json
import math
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
NANOSCOPE = os.environ.get("NANOSCOPE", HERE.parent.parent / "target/release/nanoscope")
LIMIT = os.environ.get("LIMIT", "120")


def operations(n):
    """One function without branches, of n operations."""
    dice = random.Random(7)
    names, lines = ["x", "y", "z"], []
    for i in range(n):
        a, b = dice.choice(names[-20:]), dice.choice(names[-60:])
        operation = dice.choice("+-*") if i % 50 else "/"
        right = f"{dice.random() * 2:.6f}" if i % 3 == 0 else b
        lines.append(f"  double t{i} = {a} {operation} {right};")
        names.append(f"t{i}")
    body = "\n".join(lines)
    return f"double f(double x, double y, double z) {{\n{body}\n  return t{n - 1};\n}}\n", []


def functions(n):
    """n small functions."""
    one = "double f{0}(double x, double y) {{ return x > {0}.5 ? x * y + {0}.0 : x / (y - {0}.0); }}\n"
    return "".join(one.format(i) for i in range(n)), []


def jobs(n):
    """1,000 small functions, n at a time: here the seconds on the clock tell."""
    return functions(1000)[0], ["--jobs", str(n)]


def depth(n):
    """Loops, one in the other."""
    opens = "".join(f"for (int i{k} = 0; i{k} < 3; i{k}++) {{ s = s * 0.5 + x; " for k in range(n))
    return f"double f(double x) {{ double s = 0; {opens}{'}' * n} return 1 / s; }}\n", []


def length(n):
    """A loop over an array."""
    text = "double f(const double *v) {{ double s = 0; for (int i = 0; i < {}; i++) s += v[i] * v[i]; return s; }}\n"
    return text.format(n), ["--array", f"v={n}"]


# What is varied, how, and what is asked. `build` is the way to the first engine that runs code,
# and one batch of it; `whole` has every engine, and all that follows a finding; small functions are
# asked about as usual.
BATCH = ["--evaluations", "256"]
SERIES = {
    "build": (operations, [500, 1000, 2000, 4000, 10000], ["--engines", "search", "--quick", *BATCH]),
    "ranges": (operations, [1000, 4000, 10000, 40000, 100000], ["--engines", "ranges"]),
    "whole": (operations, [250, 500, 1000, 2000, 4000], BATCH),
    "functions": (functions, [50, 100, 200, 400, 1000], []),
    "jobs": (jobs, [1, 2], []),
    "depth": (depth, [1, 2, 4, 6, 8], BATCH),
    "length": (length, [16, 64, 256, 1024, 4096], BATCH),
}


def run(text, words):
    """Seconds on the clock and of processors, the most memory of a process in MiB, and the goals."""
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder, "subject.c")
        report = pathlib.Path(folder, "report.json")
        source.write_text(text)
        environment = dict(os.environ, NANOSCOPE_CACHE=str(pathlib.Path(folder, "cache")))
        command = [NANOSCOPE, "exceptions", source, "--time-limit", LIMIT, "--json", report, "--quiet"]
        start = time.monotonic()
        child = subprocess.Popen([*command, *words], env=environment, stderr=subprocess.PIPE)
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.monotonic() - start
        said = child.stderr.read().decode().strip()
        if os.waitstatus_to_exitcode(status) not in (0, 1):
            sys.exit(f"{' '.join(map(str, command))}: {said}")
        goals = json.loads(report.read_text())["goals"]
        return seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, goals


def exponent(points):
    """The slope of log(value) over log(n), of the larger half."""
    points = [(math.log(n), math.log(value)) for n, value in points[len(points) // 2 :]]
    if len(points) < 2:
        return float("nan")
    x, y = (sum(column) / len(points) for column in zip(*points))
    return sum((a - x) * (b - y) for a, b in points) / sum((a - x) ** 2 for a, _ in points)


def main():
    wanted = sys.argv[1:] or list(SERIES)
    for name in wanted:
        if name not in SERIES:
            sys.exit(f"no series {name}: there are {', '.join(SERIES)}")
    print(f"{'series':<12} {'n':>7} {'seconds':>8} {'cpu':>8} {'MiB':>7}   goals reached impossible open")
    for name in wanted:
        make, sizes, asked = SERIES[name]
        times, memory, clock = [], [], []
        for n in sizes:
            text, words = make(n)
            seconds, spent, most, goals = run(text, [*asked, *words])
            times.append((n, spent))
            memory.append((n, most))
            clock.append(seconds)
            counts = " ".join(f"{goals[key]:>7}" for key in ("total", "reached", "impossible", "open"))
            print(f"{name:<12} {n:>7} {seconds:>8.2f} {spent:>8.2f} {most:>7.0f} {counts}", flush=True)
        if name == "jobs":
            load = " ".join(f"{value:.1f}" for value in os.getloadavg())
            print(f"{name:<12} two at a time are {clock[0] / clock[1]:.2f} times one, on the clock; load {load}")
            continue
        print(f"{name:<12} grows as n^{exponent(times):.2f} in time, n^{exponent(memory):.2f} in memory")


if __name__ == "__main__":
    main()
