#!/usr/bin/env python3
"""Ariadne's method alone, on the questions that exceptions of GSL's functions ask and on the
functions themselves, beside the figures of the paper's Table 5.

usage: bench/ariadne/run.py [--every N] [--count N] [--timeout S] [--function-time S]
                            [--jobs N] [--folder FOLDER] [--fresh]

Takes every Nth scalar function of GSL (25), the first questions of each (30), and gives each
engine a time for each question (1 s); then each function itself some processor time (4 s).
FOLDER holds GSL's bitcode as bench/gsl/prepare.sh makes it. Answers are kept in the target
folder: a run that was interrupted goes on where it was, unless the program or the questions
are others by now or --fresh is given."""
import argparse
import collections
import json
import os
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

root = Path(__file__).resolve().parents[2]
target = Path(os.environ.get("CARGO_TARGET_DIR", root / "target"))
parser = argparse.ArgumentParser(
    description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--every", type=int, default=25)
parser.add_argument("--count", type=int, default=30)
parser.add_argument("--timeout", default="1")
parser.add_argument("--function-time", default="4")
parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
parser.add_argument("--folder", type=Path, default=target / "gsl")
parser.add_argument("--fresh", action="store_true")
options = parser.parse_args()

build = ["cargo", "build", "--quiet", "--release"]
subprocess.run([*build, "-p", "nanoscope-cli"], cwd=root, check=True)
subprocess.run([*build, "-p", "nanoscope-explore", "--example", "questions"], cwd=root, check=True)
nanoscope = target / "release/nanoscope"
bitcode = options.folder / "gsl.bc"
if not bitcode.exists() or not (options.folder / "functions").exists():
    subprocess.run([root / "bench/gsl/prepare.sh", options.folder], check=True)
lines = (options.folder / "functions").read_text().splitlines()
functions = [line.split()[1] for line in lines][:: options.every]
work = target / "bench-ariadne"


def stamp(path):
    status = path.stat()
    return [str(path), status.st_size, status.st_mtime_ns]


def renew(name, key, make):
    """Makes a folder anew unless it was made whole, of the same things."""
    folder, mark = work / name, work / f"{name}.key"
    key = json.dumps(key)
    if options.fresh or not mark.exists() or mark.read_text() != key:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        make(folder)
        mark.write_text(key)
    return folder


def explore(folder):
    program = target / "release/examples/questions"
    subprocess.run([program, bitcode, folder, str(options.count), *functions],
                   stdout=subprocess.DEVNULL, check=True)


work.mkdir(parents=True, exist_ok=True)
asked_of = [functions, options.count, stamp(bitcode)]
questions = renew("questions", asked_of, explore)
files = sorted(questions.glob("*/*.smt2"))
settings = [asked_of, options.timeout, options.function_time, stamp(nanoscope),
            shutil.which("z3")]
answers = renew("answers", settings, lambda folder: None)


def remembered(name, make):
    """What was found out under this name, or is now."""
    file = answers / f"{name}.json"
    try:
        return json.loads(file.read_text())
    except (FileNotFoundError, ValueError):
        pass
    found = make()
    partial = file.with_suffix(".part")
    partial.write_text(json.dumps(found))
    partial.rename(file)
    return found


def decide(engines, file):
    """What the engines say of a question, and who: sat and unsat of floats, or no solution over
    the reals."""
    words = [word for engine in engines for word in ("--engine", engine)]
    command = [nanoscope, "solve", "--statistics", "--time-limit", options.timeout, *words, file]
    try:
        ran = subprocess.run(command, capture_output=True, text=True,
                             timeout=10 * float(options.timeout) + 30)
    except subprocess.TimeoutExpired:
        return ["late", "none"]
    first = (ran.stdout.split() or ["died"])[0]
    told = [line.split(" by ")[-1].strip() for line in ran.stderr.splitlines() if " by " in line]
    reals = [line for line in ran.stderr.splitlines() if "over the reals" in line]
    if first == "sat":
        return ["sat", "nlsat" if "nlsat" in told else "other"]
    if first == "unsat":
        return ["unsat", "other"]
    if reals:
        return ["over reals", reals[0].split(" by ")[-1].strip()]
    return ["unknown" if first == "unknown" else first, "none"]


def ask(name, engines, some):
    """The answers of a setting, by file."""
    def one(file):
        key = f"{name}-{file.parent.name}-{file.stem}"
        return file, remembered(key, lambda: decide(engines, file))
    began = time.time()
    with ThreadPoolExecutor(options.jobs) as pool:
        found = dict(pool.map(one, some))
    print(f"  {name}: {len(found)} questions in {time.time() - began:.0f} s", file=sys.stderr)
    return found


def row(name, found):
    count = collections.Counter(answer for answer, _ in found.values())
    total = max(1, len(found))
    shares = [count["sat"], count["unsat"], count["over reals"]]
    shares.append(len(found) - sum(shares))
    print(f"{name:34}{len(found):7}" + "".join(f"{share / total:9.2f}" for share in shares),
          flush=True)


OTHERS = ["propagate", "search", "prune", "guess", "blast"]
hybrid = ask("hybrid", ["ariadne"], files)
alone = ask("alone", ["ariadne-alone"], files)
enclosed = ask("enclosed", ["reals"], files)
floats = ask("floats", OTHERS, files)
left_by_z3 = {file: answer for file, answer in hybrid.items() if answer[1] != "nlsat"}
left_by_floats = [file for file in files if floats[file][0] not in ("sat", "unsat")]

print(f"{len(files)} questions of {len(functions)} functions, {options.timeout} s each; "
      f"z3 is {'installed' if shutil.which('z3') else 'not installed'}")
print(f"{'':34}{'asked':>7}{'sat':>9}{'unsat':>9}{'reals:no':>9}{'unknown':>9}")
row("z3, then ariadne (hybrid)", hybrid)
row("ariadne on what z3 leaves", left_by_z3)
row("ariadne alone", alone)
row("reals with rounding enclosed", enclosed)
row("the engines on floats", floats)
row("the hybrid on what these leave", {file: hybrid[file] for file in left_by_floats})
print(f"{'the paper, loops once':41}     0.56               0.33     0.11")
print(f"{'the paper, no bound':41}     0.57               0.30     0.13")
share = len(hybrid) - len(left_by_z3)
decided = sum(answer != "unknown" for answer, _ in left_by_z3.values())
print(f"z3 decides {share / max(1, len(hybrid)):.2f} of all (the paper: 0.48); ariadne "
      f"{decided / max(1, len(left_by_z3)):.2f} of what it leaves (the paper: 0.76 to 0.82)")
false = [file for file, answer in hybrid.items()
         if answer[0] == "over reals" and floats[file][0] == "sat"]
refuted = sum(answer[0] == "over reals" for answer in hybrid.values())
print(f"of {refuted} questions without a solution over the reals, {len(false)} have one over "
      "floats that the engines on floats found")


def settle(engines):
    """What comes of the functions: goals, and what was asked."""
    report = answers / f"{engines}.report"
    names = [word for function in functions for word in ("--function", function)]
    limit = 600 + len(functions) * 2 * float(options.function_time)
    subprocess.run(
        [nanoscope, "exceptions", bitcode, "-O2", "-lm", *names, "--engines", engines,
         "--stop-at-first", "--quick", "--function-time", options.function_time,
         "--time-limit", str(limit), "--jobs", str(options.jobs), "--quiet", "--json", report],
        stdout=subprocess.DEVNULL)
    told = json.loads(report.read_text())
    report.unlink()
    return {"goals": told["goals"], **told["statistics"]["solver"],
            "all": told["statistics"]["seconds"]}


print()
print(f"{len(functions)} functions, {options.function_time} s each, to the first exception")
print(f"{'engines':22}{'goals':>7}{'reached':>9}{'impossible':>12}{'open':>7}{'asked':>8}"
      f"{'sat':>7}{'unsat':>7}{'reals:no':>10}{'unknown':>9}{'seconds':>9}")
for engines in ["reals", "explore", "ranges,search,explore"]:
    told = remembered(engines, lambda: settle(engines))
    goals, asked, reals = told["goals"], told["queries"], told.get("unsat_over_reals", 0)
    shares = [told["sat"], told["unsat"], reals, told["unknown"] - reals]
    sat, unsat, none, unknown = (f"{share / max(1, asked):.2f}" for share in shares)
    print(f"{engines:22}{goals['total']:7}{goals['reached']:9}{goals['impossible']:12}"
          f"{goals['open']:7}{asked:8}{sat:>7}{unsat:>7}{none:>10}{unknown:>9}"
          f"{told['all']:9.0f}", flush=True)
