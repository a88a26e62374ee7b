#!/usr/bin/env python3
"""F-Soft's experiments on programs: its motivating example and its tables I, II and III.

usage: tables.py [--nanoscope PATH] [--lengths 5,10,...] [--only example|I|II|III|other]

Seconds are processor seconds of whole runs of `nanoscope`, compiling included; published ones are
of the paper. `spurious` is a bound of the interval model above 10 % where the program is stable; the
bound of the Taylor forms on the same program beside it shows that it is not real.
"""

import argparse
import fractions
import json
import os
import resource
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
PUBLISHED_I = {12: "0.3 s", 19: "3.0 s", 26: "46.3 s", 33: "64.8 s", 40: "494 s", 47: "1639 s", 54: "time-out (1 h)"}
PUBLISHED_II = {5: "82.0 s", 10: "755 s", 14: "1636 s", 15: "time-out (1 h)"}
PUBLISHED_III = {-22: "none; time-outs at 20, 35", -20: "none; time-outs at 20, 35", -18: "none; time-outs at 15, 35",
                 -16: "none; time-out at 35", -14: "none; time-outs at 30, 35", -12: "none; time-out at 35",
                 -10: "none; time-out at 35", -9: "30", -8: "10", -6: "5", -4: "5", -2: "5"}
# The inputs of the paper's section I, as it writes them: three are no floats.
PAPER = {"a1": "37639840", "a2": "29180479", "b1": "-46099201", "b2": "-35738642", "c1": "0", "c2": "1"}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--nanoscope", default=os.path.join(ROOT, "target/release/nanoscope"))
    parser.add_argument("--lengths", default="5,10,14,15,20,25,30,35,100,1000")
    parser.add_argument("--only", choices=["example", "I", "II", "III", "other"])
    said = parser.parse_args()
    lengths = [int(n) for n in said.lengths.split(",")]
    parts = {"example": lambda: example(said), "I": lambda: table_1(said),
             "II": lambda: table_2(said, lengths), "III": lambda: table_3(said, lengths),
             "other": lambda: other(said)}
    for name, part in parts.items():
        if said.only in (None, name):
            part()
            print(flush=True)


def run(said, *arguments):
    """Runs Nanoscope: its report, and processor seconds."""
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.json")
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run([said.nanoscope, *map(str, arguments), "--json", report, "--quiet"],
                              capture_output=True, text=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if not os.path.exists(report):
            sys.exit(f"nanoscope {' '.join(map(str, arguments))}: {done.stderr}")
        seconds = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
        return json.load(open(report)), seconds


def number(text):
    return float(text) if text is not None else float("inf")


def example(said):
    source = os.path.join(HERE, "ctrltest.c")
    print("Motivating example, each step at 0.1 %: line, what was found or proved")
    ranges = ["a1=1..1e8", "a2=1..1e8", "b1=-1e8..-1", "b2=-1e8..-1", "c1=0..1", "c2=0..1"]
    report, seconds = run(said, "precision", source, "--function", "ctrltest", "--threshold", "1e-3",
                          "--time-limit", "60", *[f"--input={one}" for one in ranges])
    for finding in sorted(report["findings"], key=lambda one: one["line"]):
        error = finding["details"].get("relative")
        print(f"  line {finding['line']:3}  {finding['kind']:18} {f'relative error {error}' if error else ''}")
    goals = report["goals"]
    print(f"  goals: {goals['reached']} shown, {goals['impossible']} proved below, {goals['open']} open; {seconds:.1f} s")
    print("The paper's inputs, as real numbers and as the floats they round to; x by build")
    exact = ctrl_exact({name: fractions.Fraction(value) for name, value in PAPER.items()})
    rounded = {name: single(value) for name, value in PAPER.items()}
    print(f"  exact, real inputs            x = {show(exact)}")
    print(f"  exact, float inputs           x = {show(ctrl_exact(rounded))}")
    for label, flags in [("float", []), ("float, contracted (FMA)", ["-ffp-contract=fast", "-mfma"]),
                         ("x87 registers (long double)", ["-DSTEP=long double"])]:
        print(f"  {label:29} x = {native(source, flags)}")


def single(text):
    import ctypes
    return fractions.Fraction(ctypes.c_float(float(text)).value)


def ctrl_exact(v):
    denominator = v["a1"] * v["b2"] - v["a2"] * v["b1"]
    if denominator == 0:
        return None
    return (v["c1"] * v["b2"] - v["c2"] * v["b1"]) / denominator


def show(value):
    return "undefined (0 in the denominator)" if value is None else f"{float(value):.9g}"


def native(source, flags):
    """What the compiled program computes."""
    arguments = ", ".join(f"{value}.0f" for value in PAPER.values())
    with tempfile.TemporaryDirectory() as folder:
        main_file, program = os.path.join(folder, "main.c"), os.path.join(folder, "main")
        with open(main_file, "w") as file:
            file.write(f'#include <stdio.h>\n#include "{source}"\n'
                       f'int main(void) {{ volatile float v[6] = {{ {arguments} }};\n'
                       '  printf("%.9g, branch %d\\n", ctrl_x(v[0], v[1], v[2], v[3], v[4], v[5]),\n'
                       "         ctrl_x(v[0], v[1], v[2], v[3], v[4], v[5]) >= 0); }\n")
        compiler = ["clang-19", "-O2", *flags, main_file, "-o", program]
        if subprocess.run(compiler, capture_output=True).returncode != 0:
            return "does not compile here"
        done = subprocess.run([program], capture_output=True, text=True)
        return done.stdout.strip() if done.returncode == 0 else "does not run here"


def table_1(said):
    print("Table I: an integer array of unknown content and length (0 to 64) whose sum reaches a target")
    print(f"  {'depth':>5} {'elements':>8} {'s':>7}  found  published")
    for depth in [12, 19, 26, 33, 40, 47, 54, 75, 96, 201]:
        rounds = (depth - 5) // 7
        target = (rounds - 1) * 2147483647 + 1
        report, seconds = run(said, "test", os.path.join(HERE, "reach.c"), "--entry", "reach",
                              f"-DTARGET={target}.0f", "--array", "x=64", "--input", "n=0..64",
                              "--time-limit", "60")
        found = any("assertion" in finding["kind"] for finding in report["findings"])
        print(f"  {depth:5} {rounds:8} {seconds:7.2f}  {'yes' if found else 'NO ':5}  {PUBLISHED_I.get(depth, '')}")


def sum_bound(said, n, *more):
    """The relative bound of the sum of n positive integers; what is said of it; seconds."""
    report, seconds = run(said, "precision", os.path.join(HERE, "sum.c"), "--function", "sum", f"-DN={n}",
                          "--array", f"x={n}", "--input", "x=1..2147483647", "--threshold", "0.1",
                          "--only", "prove", "--time-limit", "60", *more)
    entry = report["errors"][0]
    return number(entry["proved"]["relative"]), entry, seconds


def table_2(said, lengths):
    print("Table II: the sum of n unknown positive integers is stable below 10 %: relative bound and seconds")
    print(f"  {'n':>5}  {'any rounding':>17} {'to nearest':>17} {'intervals':>17} {'.. without ranges':>18}  published")
    for n in lengths:
        cells = []
        for more in [["--rounding", "any"], ["--rounding", "nearest"],
                     ["--rounding", "any", "--model", "interval"],
                     ["--rounding", "any", "--model", "interval", "--no-ranges"]]:
            bound, entry, seconds = sum_bound(said, n, *more)
            mark = "*" if "spurious" in entry.get("why", "") else ""
            cells.append(f"{bound:.2e}{mark} {seconds:5.1f} s")
        print(f"  {n:5}  " + " ".join(f"{cell:>17}" for cell in cells) + f"  {PUBLISHED_II.get(n, '')}", flush=True)
    print("  * the model alone is above 10 %: spurious, and refined by Taylor forms to the bound given")


def table_3(said, lengths):
    print("Table III: the n from which each delta is spurious in the interval model, with what is known of")
    print("ranges and without; the bound of Taylor forms at that n, any rounding")
    print(f"  {'delta':>6} {'from n':>7} {'without':>8} {'refined':>9}  published")
    for exponent in sorted(PUBLISHED_III):
        first, refined = {}, None
        for more in [[], ["--no-ranges"]]:
            first[bool(more)] = "none"
            for n in [n for n in lengths if n <= 100]:
                bound, entry, _ = sum_bound(said, n, "--rounding", "any", "--model", "interval", "--delta",
                                            f"2^{exponent}", *more)
                if "spurious" in entry.get("why", ""):
                    first[bool(more)] = n
                    refined = bound
                    if bound > 0.1:
                        sys.exit(f"n = {n}, delta 2^{exponent}: {bound} is not below 10 %")
                    break
        print(f"  2^{exponent:<4} {first[False]:>7} {first[True]:>8} {'' if refined is None else f'{refined:.2e}':>9}"
              f"  {PUBLISHED_III[exponent]}", flush=True)


def other(said):
    print("The same machinery on other loops, n = 100: absolute errors")
    print(f"  {'function':16} {'proved':>9} {'shown':>9} {'s':>6}")
    for function, ranges in [("sum_mixed", ["x=-1..1"]), ("dot", ["x=-1..1", "y=-1..1"]),
                             ("positive_part", ["x=-1..1"])]:
        arrays = [f"--array={name}=100" for name in ("x", "y")[: len(ranges)]]
        report, seconds = run(said, "precision", os.path.join(HERE, "sum.c"), "--function", function, "-DN=100",
                              *arrays, *[f"--input={one}" for one in ranges], "--absolute", "1e-3",
                              "--time-limit", "60")
        entry = report["errors"][0]
        shown = number((entry["shown"] or {}).get("absolute"))
        print(f"  {function:16} {number(entry['proved']['absolute']):9.2e} {shown:9.2e} {seconds:6.1f}", flush=True)


if __name__ == "__main__":
    main()
