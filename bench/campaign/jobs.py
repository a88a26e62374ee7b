#!/usr/bin/env python3
"""How a campaign scales: with one job, with two, and by two processes on one store.

usage: bench/campaign/jobs.py [--rounds N] [--evaluations N]

The units are the functions of the examples. Ways take turns, so that other work on the machine
disturbs all alike; printed are the medians of wall time and processor time, and how many times as
fast each way is as one job. On a machine that is busy with other work, the wall time of one job is
that of one process among all, and of two jobs that of two: the ratio still tells whether they work
at the same time. What sharing costs shows in the processor time. NANOSCOPE names the binary."""
import argparse
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

root = Path(__file__).resolve().parents[2]
target = Path(os.environ.get("CARGO_TARGET_DIR", root / "target"))
nanoscope = os.environ.get("NANOSCOPE", str(target / "release/nanoscope"))
PROJECT = """[campaign]
sources = ["everyday.c", "norm2.c", "asymptotic.c", "quotient.c"]
link = "apart"
flags = ["-lm"]
evaluations = {evaluations}
options.exceptions = ["--quick", "--engines", "ranges,search"]
"""
WAYS = {"one job": ["1"], "two jobs": ["2"], "two processes": ["1", "1"]}


def run(folder, jobs):
    """Wall and processor seconds of a whole campaign."""
    for file in folder.glob("nanoscope.db*"):
        file.unlink()
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.time()
    running = [subprocess.Popen([nanoscope, "campaign", "run", "--jobs", number, "--quiet"], cwd=folder)
               for number in jobs]
    if any(process.wait() not in (0, 1) for process in running):
        sys.exit("the campaign failed")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return time.time() - start, used


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--evaluations", type=int, default=200_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for source in ("everyday.c", "norm2.c", "asymptotic.c", "quotient.c"):
            shutil.copy(root / "examples" / source, folder)
        (folder / "nanoscope.toml").write_text(PROJECT.format(evaluations=options.evaluations))
        run(folder, ["1"])  # compiles into the cache
        times = {way: [] for way in WAYS}
        for _ in range(options.rounds):
            for way, jobs in WAYS.items():
                times[way].append(run(folder, jobs))
    print(f"load {os.getloadavg()[0]:.1f}, {os.cpu_count()} processors, {options.rounds} rounds")
    base = statistics.median(wall for wall, _ in times["one job"])
    for way, list in times.items():
        wall, used = (statistics.median(column) for column in zip(*list))
        print(f"{way:15} {wall:7.1f} s, {used:7.1f} processor s, {base / wall:5.2f} times one job")


main()
