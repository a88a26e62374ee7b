#!/usr/bin/env python3
"""Nanoscope beside Bitwuzla, cvc5 and Z3 on the public queries: solved, PAR-2, wrong
answers, and what each of our engines contributed.

usage: bench/smt/run.py [--timeout S] [--peers bitwuzla,cvc5,z3] [SUITE...]

Suites are folders of the shared queries (conformance, griggio). Peers run by their own
Python bindings in a virtual environment below target/, everything one query at a time.
SHARED names the folder of queries and tools, CARGO_TARGET_DIR where builds go."""
import argparse
import collections
import glob
import os
import re
import subprocess
import sys

root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
shared = os.environ.get("SHARED", os.path.join(root, "../shared"))
target = os.environ.get("CARGO_TARGET_DIR", os.path.join(root, "target"))
parser = argparse.ArgumentParser()
parser.add_argument("--timeout", default="10")
parser.add_argument("--peers", default="bitwuzla,cvc5,z3")
parser.add_argument("suites", nargs="*", default=["conformance", "griggio"])
options = parser.parse_args()
peers = [peer for peer in options.peers.split(",") if peer]
results = os.path.join(target, "bench-smt")
python = os.path.join(results, "venv/bin/python")
os.makedirs(results, exist_ok=True)
subprocess.run(["cargo", "build", "--release", "--quiet", "-p", "nanoscope-cli"], cwd=root, check=True)
nanoscope = os.path.join(target, "release/nanoscope")
if peers and not os.path.exists(python):
    subprocess.run([sys.executable, "-m", "venv", os.path.join(results, "venv")], check=True)
    packages = ["bitwuzla==0.9.1", "cvc5", "z3-solver"]
    subprocess.run([python, "-m", "pip", "install", "--quiet", *packages], check=True)
for suite in options.suites:
    files = sorted(glob.glob(os.path.join(shared, "smt2", suite, "*.smt2")))
    table = os.path.join(results, suite + ".tsv")
    solvers = [f"nanoscope={nanoscope} solve --time-limit {options.timeout} {{}}"]
    for peer in peers:
        solvers.append(f"{peer}={python} {shared}/tools/peer_solve.py {peer} {{}}")
    arguments = [word for solver in solvers for word in ("--solver", solver)]
    subprocess.run(
        [sys.executable, f"{shared}/tools/smtbench.py", "--timeout", options.timeout, "--jobs", "1",
         "--out", table, *arguments, "--", *files], check=True)
    print(f"== {suite}, {options.timeout} s a query", flush=True)
    subprocess.run(
        [sys.executable, f"{shared}/tools/smtscore.py", table, options.timeout,
         f"{shared}/smt2/status.tsv"], check=True)
    decided = collections.Counter()
    for file in files:
        ran = subprocess.run(
            [nanoscope, "solve", "--statistics", "--time-limit", options.timeout, file],
            capture_output=True, text=True)
        parts = re.findall(r"^; \d+ by (\S+)", ran.stderr, re.M)
        decided["+".join(parts) if parts else "rewriting or nobody"] += 1
    print("decided by:", ", ".join(f"{name} {count}" for name, count in decided.most_common()))
