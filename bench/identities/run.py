#!/usr/bin/env python3
"""Nanoscope beside Bitwuzla on identities and orders of floats: small refutations that
rest on relations between operations instead of their circuits.

usage: bench/identities/run.py [--timeout S] [--nanoscope PROGRAM] [--python PYTHON]
                               [--formats 16,32,64] [--only WORD] [--set SET] [--keep FOLDER]
                               [--seed N] [--count N]

Every template is a set of hypotheses and a conclusion; the query asks for a counterexample,
in each format. All are `unsat`. The set `core` has 22 templates, `more` others of the same
kinds, `programs` those that programs ask about, `mixed` and `further` (mixed.py, further.py)
those of other operations. The set `mined` (mined.py) is drawn at random; nobody chose its
templates, and a few of them are false in wider formats. Bitwuzla runs by its Python binding in a
virtual environment below target/ unless --python names one that has it; both sides run alone, one after the other. Seconds are the
processor's, so that other work on the machine does not count; of Bitwuzla without Python's
start-up. The exit code is 1 if an answer is wrong, or if the two disagree."""
import argparse
import os
import re
import resource
import subprocess
import sys
import tempfile

from further import FURTHER
from mined import mined
from mixed import MIXED

CORE = [
    # Signs through products.
    ("neg-mul", "", "(= (fp.neg (fp.mul RNE x y)) (fp.mul RNE (fp.neg x) y))"),
    ("neg-div", "", "(= (fp.neg (fp.div RNE x y)) (fp.div RNE x (fp.neg y)))"),
    ("neg-neg-mul", "", "(= (fp.mul RTP (fp.neg x) (fp.neg y)) (fp.mul RTP y x))"),
    ("neg-fma", "", "(= (fp.fma RNE (fp.neg x) y z) (fp.fma RNE x (fp.neg y) z))"),
    ("neg-mul-directed", "", "(= (fp.neg (fp.mul RTP x y)) (fp.mul RTN x (fp.neg y)))"),
    ("abs-mul", "", "(= (fp.abs (fp.mul RNE x y)) (fp.mul RNE (fp.abs x) (fp.abs y)))"),
    # Halving against doubling.
    ("half-div", "", "(= (fp.div RNE x {2}) (fp.mul RNE x {0.5}))"),
    ("double-add", "", "(= (fp.add RNE x x) (fp.mul RNE {2} x))"),
    ("half-double", "(fp.leq (fp.abs x) {1000})", "(fp.eq (fp.mul RNE (fp.add RNE x x) {0.5}) x)"),
    # Absorption of zeros.
    ("zero-add", "(not (fp.isNaN x))", "(fp.eq (fp.add RNE x (_ +zero {f})) x)"),
    ("zero-twice", "(not (fp.isZero y)) (not (fp.isNaN y)) (not (fp.isNaN x)) (not (fp.isInfinite x))",
     "(fp.eq (fp.add RNE (fp.add RNE (_ +zero {f}) x) y) (fp.add RNE x y))"),
    # Orders of min and max.
    ("min-max", "(not (fp.isNaN x)) (not (fp.isNaN y))", "(fp.leq (fp.min x y) (fp.max x y))"),
    ("min-max-add", "(not (fp.isNaN x)) (not (fp.isNaN y)) (not (fp.isInfinite x)) (not (fp.isInfinite y))",
     "(fp.eq (fp.add RNE (fp.min x y) (fp.max x y)) (fp.add RNE x y))"),
    # Averages lie between their operands.
    ("average", "(fp.leq x y) (fp.leq (fp.abs x) {1000}) (fp.leq (fp.abs y) {1000})",
     "(and (fp.leq x (fp.div RNE (fp.add RNE x y) {2})) (fp.leq (fp.div RNE (fp.add RNE x y) {2}) y))"),
    # Shrinking by a factor below one.
    ("shrink-mul", "(fp.leq {0} x) (fp.leq {0} y) (fp.leq y {1}) (not (fp.isInfinite x))",
     "(fp.leq (fp.mul RNE x y) x)"),
    ("shrink-div", "(fp.lt {1} y) (not (fp.isNaN x)) (not (fp.isInfinite x))",
     "(fp.leq (fp.abs (fp.div RNE x y)) (fp.abs x))"),
    # Monotonicity.
    ("mono-add", "(fp.leq x y) (not (fp.isNaN z)) (not (fp.isInfinite z))",
     "(fp.leq (fp.add RNE x z) (fp.add RNE y z))"),
    ("mono-mul", "(fp.leq x y) (fp.leq {0} z) (not (fp.isInfinite x)) (not (fp.isInfinite y)) (not (fp.isInfinite z))",
     "(fp.leq (fp.mul RNE x z) (fp.mul RNE y z))"),
    ("mono-div", "(fp.leq x y) (fp.lt {0} z) (not (fp.isInfinite x)) (not (fp.isInfinite y)) (not (fp.isInfinite z))",
     "(fp.leq (fp.div RNE x z) (fp.div RNE y z))"),
    ("mono-sqrt", "(fp.leq {0} x) (fp.leq x y)", "(fp.leq (fp.sqrt RNE x) (fp.sqrt RNE y))"),
    # Directed rounding encloses.
    ("directed-sqrt", "(fp.leq {0} x)", "(fp.leq (fp.sqrt RTN x) (fp.sqrt RTP x))"),
    ("directed-mul", "(not (fp.isNaN (fp.mul RNE x y)))",
     "(and (fp.leq (fp.mul RTN x y) (fp.mul RNE x y)) (fp.leq (fp.mul RNE x y) (fp.mul RTP x y)))"),
]

FINITE = "(not (fp.isNaN {0})) (not (fp.isInfinite {0}))"
FX, FY, FZ = (FINITE.replace("{0}", v) for v in "xyz")

MORE = [
    ("neg-neg-div", "", "(= (fp.div RTN (fp.neg x) (fp.neg y)) (fp.div RTN x y))"),
    ("neg-div-directed", "", "(= (fp.div RTN (fp.neg x) y) (fp.neg (fp.div RTP x y)))"),
    ("neg-div-all", "", "(= (fp.div m (fp.neg x) y) (fp.div m x (fp.neg y)))"),
    ("neg-mul-all", "", "(= (fp.mul m (fp.neg x) y) (fp.mul m x (fp.neg y)))"),
    ("neg-sum", "(not (fp.isNaN (fp.add RNE x y)))",
     "(fp.eq (fp.neg (fp.add RNE x y)) (fp.add RNE (fp.neg x) (fp.neg y)))"),
    ("neg-sum-directed", "(not (fp.isNaN (fp.add RTP x y)))",
     "(fp.eq (fp.neg (fp.add RTP x y)) (fp.sub RTN (fp.neg x) y))"),
    ("neg-rem", "", "(= (fp.rem (fp.neg x) y) (fp.neg (fp.rem x (fp.neg y))))"),
    ("neg-integral", "", "(= (fp.roundToIntegral RTP (fp.neg x)) (fp.neg (fp.roundToIntegral RTN x)))"),
    ("square-abs", "", "(= (fp.mul RNE x x) (fp.mul RNE (fp.abs x) (fp.abs x)))"),
    ("square-sign", "(not (fp.isNaN x))", "(fp.leq {0} (fp.mul RNE x x))"),
    ("difference-swapped", "(not (fp.isNaN (fp.sub RNE x y)))",
     "(fp.eq (fp.sub RNE x y) (fp.neg (fp.sub RNE y x)))"),
    ("difference-self", FX, "(fp.isZero (fp.sub RNE x x))"),
    ("quotient-self", FX + " (not (fp.isZero x))", "(= (fp.div RNE x x) {1})"),
    ("quarter", "", "(= (fp.div RTZ x {4}) (fp.mul RTZ x {0.25}))"),
    ("four-times", "", "(= (fp.add RNE (fp.add RNE x x) (fp.add RNE x x)) (fp.mul RNE x {4}))"),
    ("double-half", "(fp.leq {0.01} (fp.abs x)) (fp.leq (fp.abs x) {1000})",
     "(= (fp.mul RNE (fp.div RNE x {2}) {2}) x)"),
    ("sign-sum", FX + FY, "(= (fp.lt {0} (fp.add RNE x y)) (fp.lt (fp.neg x) y))"),
    ("sign-difference", FX + FY, "(= (fp.leq x y) (fp.leq (fp.sub RNE x y) {0}))"),
    ("grow-add", "(fp.leq {0} y) (not (fp.isNaN x)) (not (fp.isInfinite x))", "(fp.leq x (fp.add RTN x y))"),
    ("grow-mul", "(fp.leq {1} y) (fp.leq {0} x) (not (fp.isNaN (fp.mul RTZ x y)))", "(fp.leq x (fp.mul RTZ x y))"),
    ("quotient-one", "(fp.lt {0} x) (fp.leq x y) (not (fp.isInfinite y))", "(fp.leq (fp.div RNE x y) {1})"),
    ("mono-add-both", "(fp.leq x y) (fp.leq z w) " + FINITE.replace("{0}", "x") + FY + FZ + FINITE.replace("{0}", "w"),
     "(fp.leq (fp.add RNE x z) (fp.add RNE y w))"),
    ("mono-sub", "(fp.leq x y) " + FX + FY + FZ, "(fp.leq (fp.sub RNE z y) (fp.sub RNE z x))"),
    ("mono-mul-neg", "(fp.leq x y) (fp.leq z {0}) " + FX + FY + FZ,
     "(fp.leq (fp.mul RTN y z) (fp.mul RTN x z))"),
    ("mono-div-by", "(fp.lt {0} x) (fp.leq x y) (fp.leq {0} z) " + FY + FZ,
     "(fp.leq (fp.div RNE z y) (fp.div RNE z x))"),
    ("mono-fma", "(fp.leq x y) " + FX + FY + FZ + " " + FINITE.replace("{0}", "w"),
     "(fp.leq (fp.fma RNE z w x) (fp.fma RNE z w y))"),
    ("mono-square", "(fp.leq {0} x) (fp.leq x y)", "(fp.leq (fp.mul RNE x x) (fp.mul RNE y y))"),
    ("mono-integral", "(fp.leq x y)", "(fp.leq (fp.roundToIntegral RNE x) (fp.roundToIntegral RNE y))"),
    ("floor-ceil", "(not (fp.isNaN x))",
     "(and (fp.leq (fp.roundToIntegral RTN x) x) (fp.leq x (fp.roundToIntegral RTP x)))"),
    ("sqrt-below", "(fp.leq {1} x)", "(fp.leq (fp.sqrt RNE x) x)"),
    ("sqrt-above", "(fp.leq {0} x) (fp.leq x {1})", "(fp.leq x (fp.sqrt RNE x))"),
    ("sqrt-square", "(fp.leq {0.1} x) (fp.leq x {100})", "(fp.eq (fp.sqrt RNE (fp.mul RNE x x)) x)"),
    ("sqrt-sum", FX + FY, "(or (fp.isNaN (fp.sqrt RNE (fp.add RNE (fp.mul RNE x x) (fp.mul RNE y y)))) "
     "(fp.leq {0} (fp.sqrt RNE (fp.add RNE (fp.mul RNE x x) (fp.mul RNE y y)))))"),
    ("square-sum", FX + FY, "(fp.leq (fp.mul RNE x x) (fp.add RNE (fp.mul RNE x x) (fp.mul RNE y y)))"),
    ("directed-add", FX + FY, "(and (fp.leq (fp.add RTN x y) (fp.add RNE x y)) (fp.leq (fp.add RNE x y) (fp.add RTP x y)))"),
    ("directed-div", FX + FY + " (not (fp.isZero y))", "(fp.leq (fp.div RTN x y) (fp.div RTP x y))"),
    ("directed-fma", FX + FY + FZ, "(fp.leq (fp.fma RTN x y z) (fp.fma RTP x y z))"),
    ("directed-zero", "(fp.leq {0} x) (fp.leq {0} y) " + FX + FY, "(= (fp.mul RTZ x y) (fp.mul RTN x y))"),
    ("rem-small", "(fp.lt {0} x) (fp.lt x (fp.mul RNE y {0.5})) (fp.leq {1} y) (not (fp.isInfinite y))", "(= (fp.rem x y) x)"),
    ("rem-bound", FX + FY + " (not (fp.isZero y))", "(fp.leq (fp.abs (fp.rem x y)) (fp.abs y))"),
    ("min-add", FX + FY + FZ, "(fp.eq (fp.add RNE (fp.min x y) z) (fp.min (fp.add RNE x z) (fp.add RNE y z)))"),
    ("midpoint", "(fp.leq {0} x) (fp.leq x y) (fp.leq y {1000})",
     "(fp.leq x (fp.add RNE x (fp.div RNE (fp.sub RNE y x) {2})))"),
    ("midpoint-above", "(fp.leq {0} x) (fp.leq x y) (fp.leq y {1000})",
     "(fp.leq (fp.add RNE x (fp.div RNE (fp.sub RNE y x) {2})) y)"),
    ("convex", "(fp.leq {0} x) (fp.leq x y) (fp.leq y {1000}) (fp.leq {0} z) (fp.leq z {1})",
     "(fp.leq x (fp.add RNE x (fp.mul RNE z (fp.sub RNE y x))))"),
    ("sterbenz-sign", "(fp.lt x y) " + FX + FY, "(fp.lt {0} (fp.sub RNE y x))"),
    ("scaled-hypotenuse", "(fp.lt {0} x) (fp.lt x y) (not (fp.isInfinite y))",
     "(fp.leq (fp.add RNE {1} (fp.mul RNE (fp.div RNE x y) (fp.div RNE x y))) {2})"),
]

PROGRAMS = [
    ("zero-constant", "", "(or (fp.isNaN x) (fp.eq (fp.add RNE (fp.add RNE (_ +zero {f}) x) {4}) (fp.add RNE x {4})))"),
    ("minus-zero-minus", "(not (fp.isNaN x))",
     "(fp.eq (fp.sub RNE {4} (fp.sub RNE (_ +zero {f}) x)) (fp.add RNE {4} x))"),
    ("zero-minus", "(not (fp.isNaN x)) " + FY,
     "(fp.eq (fp.sub RNE y (fp.sub RNE (_ +zero {f}) x)) (fp.add RNE y x))"),
    ("fmod-below", "(fp.lt {0} x) (fp.lt x y)", "(= (ieee.fmod x y) x)"),
    ("fmod-bound", "(fp.leq {0} x) (fp.lt {0} y) (not (fp.isInfinite x))", "(fp.lt (ieee.fmod x y) y)"),
    ("sorted-sums", "(fp.leq x y) (fp.leq y z) " + FX + FY + FZ,
     "(and (fp.leq (fp.add RNE x y) (fp.add RNE x z)) (fp.leq (fp.add RNE x z) (fp.add RNE y z)))"),
    ("interval-add", "(fp.leq x y) (fp.leq z w) " + FX + FY + FZ + FINITE.replace("{0}", "w"),
     "(fp.leq (fp.add RTN x z) (fp.add RTP y w))"),
    ("interval-mul", "(fp.leq {0} x) (fp.leq x y) (fp.leq {0} z) (fp.leq z w) " + FY + FINITE.replace("{0}", "w"),
     "(fp.leq (fp.mul RTN x z) (fp.mul RTP y w))"),
    ("interval-sqrt", "(fp.leq {0} x) (fp.leq x y)", "(fp.leq (fp.sqrt RTN x) (fp.sqrt RTP y))"),
    ("interval-div", "(fp.leq {0} x) (fp.leq x y) (fp.lt {0} z) (fp.leq z w) " + FY + FINITE.replace("{0}", "w"),
     "(fp.leq (fp.div RTN x w) (fp.div RTP y z))"),
    ("interval-hull", "(fp.leq x y) (fp.leq z w) " + FX + FY + FZ + FINITE.replace("{0}", "w"),
     "(fp.leq (fp.min (fp.mul RTN x z) (fp.mul RTN x w)) (fp.max (fp.mul RTP x z) (fp.mul RTP x w)))"),
    ("rate-limit", "(fp.leq x y) (fp.leq {0} z) " + FX + FY + FZ,
     "(fp.leq (ite (fp.lt (fp.add RNE x z) y) (fp.add RNE x z) y) y)"),
    ("normalise", "(fp.lt {0} x) (fp.lt {0} y) (fp.leq x {100}) (fp.leq y {100})",
     "(fp.leq (fp.div RNE x (fp.add RNE x y)) {1})"),
]
SETS = {"core": CORE, "more": MORE, "programs": PROGRAMS, "mixed": MIXED, "further": FURTHER}
FORMATS = {"16": (5, 11), "32": (8, 24), "64": (11, 53), "80": (15, 64), "128": (15, 113)}


def query(name, hypotheses, conclusion, exponent, precision):
    """The SMT-LIB script that asks for a counterexample."""
    form = f"{exponent} {precision}"

    def number(match):
        text = match.group(1)
        decimal = text if "." in text else text + ".0"
        decimal = f"(- {decimal[1:]})" if text.startswith("-") else decimal
        return f"((_ to_fp {form}) RNE {decimal})"

    def filled(text):
        return re.sub(r"\{(-?[0-9.]+)\}", number, text.replace("{f}", form))

    body = filled(conclusion)
    lines = ["(set-logic QF_BVFP)", f"; {name}"]
    lines += [f"(declare-const {v} (_ FloatingPoint {form}))" for v in "xyzw"]
    lines += [f"(declare-const {v} (_ FloatingPoint 5 11))" for v in "hk"]
    lines += [f"(declare-const {v} (_ BitVec 32))" for v in "ij"]
    lines.append("(declare-const m RoundingMode)")
    if hypotheses:
        lines.append(f"(assert (and true {filled(hypotheses)}))")
    lines += [f"(assert (not {body}))", "(check-sat)"]
    return "\n".join(lines) + "\n"


PEER = """
import sys, time
from bitwuzla import Options, Parser, TermManager
start = time.process_time()
Parser(TermManager(), Options()).parse(sys.argv[1])
print(";seconds", time.process_time() - start)
"""


def run(command, limit):
    """The first word that a command prints, and the seconds that it says or took."""
    def used():
        times = resource.getrusage(resource.RUSAGE_CHILDREN)
        return times.ru_utime + times.ru_stime

    start = used()
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return "timeout", limit
    took = used() - start
    answer = (done.stdout.split() or ["error"])[0]
    for line in done.stdout.splitlines():
        if line.startswith(";seconds"):
            took = float(line.split()[1])
    return answer, took


def main():
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    target = os.environ.get("CARGO_TARGET_DIR", os.path.join(root, "target"))
    parser = argparse.ArgumentParser()
    parser.add_argument("--timeout", type=float, default=5)
    parser.add_argument("--nanoscope")
    parser.add_argument("--python")
    parser.add_argument("--formats", default="16,32,64")
    parser.add_argument("--only", default="")
    parser.add_argument("--set", default="core,more,programs,mixed,further")
    parser.add_argument("--keep")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=50)
    options = parser.parse_args()
    if not options.nanoscope:
        subprocess.run(["cargo", "build", "--release", "--quiet", "-p", "nanoscope-cli"], cwd=root, check=True)
        options.nanoscope = os.path.join(target, "release/nanoscope")
    python = options.python
    if python is None:
        python = os.path.join(target, "bench-identities/venv/bin/python")
        if not os.path.exists(python):
            subprocess.run([sys.executable, "-m", "venv", os.path.dirname(os.path.dirname(python))], check=True)
            subprocess.run([python, "-m", "pip", "install", "--quiet", "bitwuzla==0.9.1"], check=True)
    folder = options.keep or tempfile.mkdtemp(prefix="identities-")
    os.makedirs(folder, exist_ok=True)
    wrong = 0
    for chosen in options.set.split(","):
        solved = {"nanoscope": 0, "bitwuzla": 0}
        total = slower = 0
        templates = mined(options.seed, options.count) if chosen == "mined" else SETS[chosen]
        for name, hypotheses, conclusion in templates:
            if options.only not in name:
                continue
            for bits in options.formats.split(","):
                path = os.path.join(folder, f"{name}-{bits}.smt2")
                with open(path, "w") as file:
                    file.write(query(name, hypotheses, conclusion, *FORMATS[bits]))
                ours = run([options.nanoscope, "solve", "--time-limit", str(options.timeout), path],
                           options.timeout + 5)
                peer = ("", options.timeout)
                if python != "none":
                    peer = run([python, "-c", PEER, path], options.timeout)
                total += 1
                answers = ("sat", "unsat") if chosen == "mined" else ("unsat",)
                solved["nanoscope"] += ours[0] in answers
                solved["bitwuzla"] += peer[0] in answers
                wrong += ours[0] == "sat" and (chosen != "mined" or peer[0] == "unsat")
                wrong += ours[0] == "unsat" and peer[0] == "sat"
                is_slower = peer[0] in answers and (ours[0] not in answers or ours[1] > peer[1] + 0.03)
                slower += is_slower
                print(f"{name:22}{bits:>4}  {ours[0]:8}{ours[1]:8.3f}   {peer[0]:8}{peer[1]:8.3f}"
                      f"{'   slower' if is_slower else ''}", flush=True)
        print(f"== {chosen}: of {total}, nanoscope {solved['nanoscope']}, bitwuzla {solved['bitwuzla']}; "
              f"slower on {slower} (30 ms of start-up allowed)", flush=True)
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
