#!/usr/bin/env python3
"""FPSE's table 3 made from C, and table 4 from that: programs/ has the paper's programs, each row
below a path through one of them.

usage: bench/fpse/from_c.py [ROW...]

For each row, in single and double: whether the path is feasible (`nanoscope test --path`), how
many constraints its normalised form has beside the paper's, an input that a native run was seen to
take it with, and the exact bounds of the paper's variable, by `nanoscope solve --bounds` on the path
condition that the first command hands out. What is expected stands in queries/, as for run.py.
NANOSCOPE names the binary, if it is not the release build of this tree. Exit code 1 if a row
differs."""
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

here = Path(__file__).resolve().parent
nanoscope = os.environ.get("NANOSCOPE", here / "../../target/release/nanoscope")

# Row, program, the path, ranges of inputs, the variable that the paper bounds (an output where it
# is `return`), and the paper's number of constraints.
LOOP = "9:true 11:true*{0} 11:false 15:true"
FIXED = {"a": "1.22", "b": "3.34", "c": "2.28"}
ROWS = [
    (1, "g1", None, {"small": "2e-30", "large": "1e30", "third": "1e-30"}, "return", 3),
    (2, "g2", "9:false", FIXED, "return", 4),
    (3, "g2", "9:true", {"a": "1.22", "b": "3.34"}, "c", 5),
    (4, "power", LOOP.format(40), {"x": "10", "y": "-40"}, "return", 84),
    (5, "power", LOOP.format(350), {"x": "10", "y": "-350"}, "return", 704),
    (6, "foo1", "9:true 11:true", {}, "x", 3),
    (7, "foo2", "9:true 11:true", {}, "x", 3),
    (8, "howden", "9:true 12:true", {}, None, 6),
    (9, "power", "9:true 11:false 15:true", {}, None, 3),
    (10, "power", LOOP.format(40), {}, "y", 83),
    (11, "power", LOOP.format(350), {}, "y", 703),
]
SORTS = {"single": "(_ FloatingPoint 8 24)", "double": "(_ FloatingPoint 11 53)"}
TYPES = {"single": "float", "double": "double"}


def run(*words):
    return subprocess.run([nanoscope, *words], capture_output=True, text=True)


def asked(folder, program, path, ranges, precision):
    """The answer about a path, as JSON."""
    report = folder / "report.json"
    words = ["test", here / f"programs/{program}.c", "--function", program, "--inputs", "finite",
             f"-DREAL={TYPES[precision]}", "--json", report, "--quiet"]
    for name, value in ranges.items():
        words += ["--input", f"{name}={value}..{value}"]
    if path is None:
        words += ["--paths"]
    else:
        (folder / "path.txt").write_text(path)
        words += ["--path", folder / "path.txt"]
    ran = run(*words)
    if ran.returncode != 0:
        sys.exit(f"{program}: {ran.stderr}")
    return json.loads(report.read_text())["paths"]


def bounds(folder, taken, variable, precision):
    """What the solver says of a path condition and a variable of it."""
    script = re.sub(r"\(check-sat\)|\(exit\)", "", taken["script"])
    if variable == "return":
        output = next(it for it in taken["outputs"] if it["name"] == "return")
        script += f"(declare-const |return| {SORTS[precision]})\n"
        script += f"(assert (= |return| {output['term']}))\n"
    query = folder / "query.smt2"
    query.write_text(script + "(check-sat)\n")
    lines = run("solve", "--bounds", query).stdout.splitlines()
    named = [line.split()[1:] for line in lines[1:] if line.split()[0].strip("|") == variable]
    return lines[:1] + [" ".join(bound) for bound in named]


def expected(row, precision):
    text = (here / f"queries/{row:02}-{precision}.smt2").read_text()
    lines = [line.split(": ", 1)[1] for line in text.splitlines() if line.startswith("; expected: ")]
    return lines[:1] + [" ".join(line.split()[1:]) for line in lines[1:]]


def main():
    wanted = {int(word) for word in sys.argv[1:]}
    fails = 0
    print(f"{'row':10} {'program':8} {'paper':>6} {'ours':>5} {'seconds':>8}  {'verdict':11} bounds")
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        for row, program, path, ranges, variable, constraints in ROWS:
            if wanted and row not in wanted:
                continue
            for precision in SORTS:
                start = time.perf_counter()
                paths = asked(folder, program, path, ranges, precision)
                seconds = time.perf_counter() - start
                answer = paths.get("answer")
                verdict = answer["verdict"] if answer else "feasible"
                told = expected(row, precision)
                if verdict == "feasible":
                    taken = paths["list"][0]
                    found = bounds(folder, taken, variable, precision) if variable else ["sat"]
                    ours = taken["constraints"]
                    if variable == "return":
                        ours += sum(len(output["lines"]) for output in taken["outputs"])
                    same = found == told and taken["confirmed"]
                else:
                    found = ["unsat"] if verdict == "infeasible" else [verdict]
                    refuted = (answer or {}).get("refuted") or {}
                    ours, same = refuted.get("constraints", 0), found == told
                fails += not same
                note = "same" if same else f"DIFFERS: {', '.join(found)}"
                print(f"{row:02}-{precision:7} {program:8} {constraints:6} {ours:5} {seconds:8.2f}  "
                      f"{verdict:11} {', '.join(told[1:]) or '-'}: {note}", flush=True)
    return 1 if fails else 0


sys.exit(main())
