#!/usr/bin/env python3
"""FPSE's tables 3 and 4: every row in single and double, the expected answer beside ours.

NANOSCOPE names the binary, if it is not the release build of this tree.

Each query in queries/ says in its first lines what is expected: the answer, and
the exact least and greatest value of its variable. Exit code 1 if a row differs."""
import glob
import os
import subprocess
import sys
import time

here = os.path.dirname(os.path.abspath(__file__))
command = os.environ.get("NANOSCOPE", os.path.join(here, "../../target/release/nanoscope"))
fails = 0
print(f"{'row':12} {'seconds':>8}  {'expected':60} ours")
for path in sorted(glob.glob(os.path.join(here, "queries", "*.smt2"))):
    lines = open(path).read().splitlines()
    expected = [l.split(": ", 1)[1] for l in lines if l.startswith("; expected: ")]
    start = time.perf_counter()
    ran = subprocess.run([command, "solve", "--bounds", path], capture_output=True, text=True)
    seconds = time.perf_counter() - start
    ours = ran.stdout.splitlines()
    same = ours == expected
    fails += not same
    row = os.path.basename(path).removesuffix(".smt2")
    verdict = "same" if same else "DIFFERS: " + ", ".join(ours)
    print(f"{row:12} {seconds:8.3f}  {', '.join(expected):60} {verdict}")
sys.exit(1 if fails else 0)
