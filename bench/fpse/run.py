#!/usr/bin/env python3
"""FPSE's tables 3 and 4: every row in single and double, the expected answer beside ours.

usage: bench/fpse/run.py [--paper]

NANOSCOPE names the binary, if it is not the release build of this tree.

Each query in queries/ says in its first lines what is expected: the answer, and
the exact least and greatest value of its variable. Beside it stands what propagation
alone leaves, which is what the paper's column FPSE shows: `exact` where that is the
hull, else how many floats wider it is. --paper adds what the paper lists for the
others: IC (intervals over the reals), clpr (simplex over the reals), clpq (over the
rationals). Exit code 1 if a row differs, or if a solution lies outside of its box."""
import glob
import os
import struct
import subprocess
import sys
import time

# Of doubles or rationals: those solvers know no singles.
PAPER = {
    1: ("[-1e-30, 140737488355328]", "0", "1/999999999999999879147136483328"),
    2: ("[0.029199999999997672, 0.0292000000000001225]", "0.02920000000001152", "73/2500"),
    3: ("[2.2859836065573766, 2.2859839065573771]", "2.285983606557377", "27889/12200"),
    4: ("[9.999999999999871e-41, 1.00000000000000016e-40]", "1e-40", "1e-40"),
    5: ("[0, 5.56268464626801e-309]", "1e-350", "1e-350"),
    6: ("infeasible", "infeasible", "infeasible"),
    7: ("[0, 10000]", "(-0, 10000)", "(0, 10000)"),
    8: ("infeasible", "left open", "left open"),
    9: ("infeasible", "infeasible", "infeasible"),
    10: ("[-40, -39]", "[-40, -39)", "[-40, -39)"),
    11: ("[-350, -349]", "[-350, -349)", "[-350, -349)"),
}


def ordinal(text, double):
    """The place of a float in the order of its format."""
    value = float.fromhex(text)
    pack, unpack, bits = ("<d", "<Q", 64) if double else ("<f", "<I", 32)
    (encoded,) = struct.unpack(unpack, struct.pack(pack, value))
    sign = 1 << (bits - 1)
    return -1 - (encoded - sign) if encoded & sign else encoded


def wider(box, hull, double):
    """How many floats a box has more than the hull; none if the hull is not in it."""
    (low, high), (least, greatest) = ([ordinal(end, double) for end in line.split()[1:3]] for line in (box, hull))
    return None if low > least or high < greatest else (least - low) + (high - greatest)


def solve(command, path, *options):
    start = time.perf_counter()
    ran = subprocess.run([command, "solve", "--bounds", path, *options], capture_output=True, text=True)
    return ran.stdout.splitlines(), time.perf_counter() - start


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    command = os.environ.get("NANOSCOPE", os.path.join(here, "../../target/release/nanoscope"))
    paper = "--paper" in sys.argv[1:]
    fails = 0
    print(f"{'row':12} {'seconds':>8}  {'expected':60} {'ours':6} {'after propagation'}")
    for path in sorted(glob.glob(os.path.join(here, "queries", "*.smt2"))):
        lines = open(path).read().splitlines()
        expected = [l.split(": ", 1)[1] for l in lines if l.startswith("; expected: ")]
        ours, seconds = solve(command, path)
        same = ours == expected
        row = os.path.basename(path).removesuffix(".smt2")
        boxes, _ = solve(command, path, "--engine", "propagate")
        if boxes[:1] == ["unsat"]:
            box, sound = "unsat", expected[0] == "unsat"
        elif expected[0] == "unsat":
            box, sound = "not refuted", True
        else:
            name = expected[1].split()[0]
            of_name = [line for line in boxes[1:] if line.split()[0] == name]
            more = wider(of_name[0], expected[1], row.endswith("double")) if of_name else None
            box = {None: "WRONG", 0: "exact"}.get(more, f"{more} floats wider")
            sound = more is not None
        fails += not (same and sound)
        verdict = "same" if same else "DIFFERS: " + ", ".join(ours)
        print(f"{row:12} {seconds:8.3f}  {', '.join(expected):60} {verdict:6} {box}")
        if paper and row.endswith("double"):
            for solver, text in zip(("IC", "clpr", "clpq"), PAPER[int(row.split("-")[0])]):
                print(f"{'':22} {solver}: {text}")
    sys.exit(1 if fails else 0)


main()
