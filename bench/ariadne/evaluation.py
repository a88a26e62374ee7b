#!/usr/bin/env python3
"""The evaluation of the Ariadne paper, by `nanoscope exceptions --engines reals --every-path`.

usage: bench/ariadne/evaluation.py [--every N] [--time S] [--question-time S] [--bounds LIST]
                                   [--questions N] [--jobs N] [--folder FOLDER] [--fresh]
       bench/ariadne/evaluation.py --asked FOLDER [--question-time S] [--jobs N]

Every Nth scalar special function of GSL (25) is explored to the first exception, with the loop
bounds of Table 5 (none,64,32,16,8,4,2,1), S seconds each (4). Printed are

- Table 5: functions that were finished in time, whose paths were all explored, that have no
  exception; the answers; [locations, input-to-location pairs] that only this bound found, and all;
- Table 6: overflows and underflows that exact arithmetic says are avoidable (`replay --harm`);
- the experiment with 1, 1,000 and 1,000,000 concretisations, on a sample of N questions (40) that
  one concretisation leaves without a model; z3 is not asked there;
- what z3 and the loop decide, each asked of every question, by what the questions are like.

With --asked only the last is printed, for the questions in a folder, as
`cargo run -p nanoscope-explore --example questions` writes them.

Figures 7 and 8 are written as SVG beside the results, in the target folder. NANOSCOPE names the
binary, if it is not the release build. Results are kept: a run that was interrupted goes on."""
import argparse
import collections
import json
import os
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

root = Path(__file__).resolve().parents[2]
target = Path(os.environ.get("CARGO_TARGET_DIR", root / "target"))
nanoscope = os.environ.get("NANOSCOPE", target / "release/nanoscope")
PAPER = {  # Table 5
    "none": "363 136 45 0.57 0.30 0.13 0.76 [20,174] [636,847]",
    "64": "370 149 54 0.57 0.32 0.11 0.80 [3,145] [658,874]",
    "32": "368 149 54 0.57 0.32 0.11 0.81 [1,162] [651,859]",
    "16": "367 149 54 0.57 0.32 0.11 0.81 [0,142] [652,858]",
    "8": "368 149 54 0.57 0.32 0.11 0.81 [3,144] [652,862]",
    "4": "366 149 54 0.58 0.32 0.10 0.82 [0,138] [644,853]",
    "2": "367 149 54 0.56 0.33 0.11 0.81 [4,134] [644,863]",
    "1": "372 149 54 0.56 0.33 0.11 0.81 [4,144] [655,872]",
}
KINDS = ["overflow", "underflow", "invalid", "divide-by-zero"]


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--every", type=int, default=25)
    parser.add_argument("--time", type=float, default=4)
    parser.add_argument("--question-time", type=float, default=1)
    parser.add_argument("--bounds", default="none,64,32,16,8,4,2,1")
    parser.add_argument("--questions", type=int, default=40)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--folder", type=Path, default=target / "gsl")
    parser.add_argument("--fresh", action="store_true")
    parser.add_argument("--asked", type=Path)
    return parser.parse_args()


class Kept:
    """Results in a folder, by name."""

    def __init__(self, folder):
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def get(self, name, make):
        file = self.folder / f"{name}.json"
        try:
            return json.loads(file.read_text())
        except (FileNotFoundError, ValueError):
            pass
        found = make()
        partial = file.with_suffix(".part")
        partial.write_text(json.dumps(found))
        partial.rename(file)
        return found


def explored(options, kept, function, bound):
    """What comes of a function with a loop bound."""
    def make():
        report = kept.folder / f"{function}-{bound}.report"
        questions = kept.folder / "questions" / f"{function}-{bound}"
        questions.mkdir(parents=True, exist_ok=True)
        command = [nanoscope, "exceptions", options.folder / "gsl.bc", "-O2", "-lm",
                   "--function", function, "--engines", "reals", "--stop-at-first", "--quick",
                   "--every-path", "--max-loop", bound, "--concretizations", "1",
                   "--question-time", str(options.question_time), "--queries", questions,
                   "--time-limit", str(600 + 20 * options.time), "--function-time", str(options.time),
                   "--jobs", "1", "--quiet", "--json", report]
        start = time.time()
        try:
            subprocess.run(command, capture_output=True, timeout=660 + 20 * options.time)
            told = json.loads(report.read_text())
        except (subprocess.TimeoutExpired, FileNotFoundError, ValueError):
            return None
        if any("not run" in note["text"] for note in told.get("notes") or []):
            return None
        seconds = time.time() - start
        stopped = [v["why"] for v in told["verdicts"] if v["verdict"] == "open"]
        return {
            "findings": [{"id": f["id"], "kind": f["kind"], "place": [f["file"], f["line"], f["column"]],
                          "inputs": [[n["bits"] for n in f["inputs"]]]
                          + [[n["bits"] for n in other]
                             for other in f["details"].get("other_paths", [])]}
                         for f in told["findings"]],
            "solver": told["statistics"]["solver"],
            "late": any("the time" in why for why in stopped),
            "undecided": any("undecided" in why for why in stopped),
            "seconds": seconds,
            "report": str(report),
        }
    return kept.get(f"{function}-{bound}", make)


def pairs_of(told, function):
    return {(function, f["id"], tuple(inputs)) for f in told["findings"] for inputs in f["inputs"]}


def share(part, whole):
    return f"{part / whole:.2f}" if whole else "-"


def table5(results, bounds):
    print("Table 5: no timeout, all paths explored, no exception, sat, unsat (over reals), unknown, "
          "[locations, pairs] only here and all; then the paper's, with ariadne's ratio before the pairs")
    locations = {b: set() for b in bounds}
    pairs = {b: set() for b in bounds}
    for (function, bound), told in results.items():
        locations[bound] |= {(function, f["id"]) for f in told["findings"]}
        pairs[bound] |= pairs_of(told, function)
    for bound in bounds:
        rows = [told for (_, b), told in results.items() if b == bound]
        timely = [told for told in rows if not told["late"]]
        whole = [told for told in timely if not told["undecided"]]
        quiet = [told for told in whole if not told["findings"]]
        count = collections.Counter()
        for told in rows:
            count.update({k: v for k, v in told["solver"].items() if k != "seconds"})
        asked, none = count["queries"], count["unsat_over_reals"] + count["unsat"]
        others = lambda what: set().union(*(what[b] for b in bounds if b != bound))
        only = [len(what[bound] - others(what)) for what in (locations, pairs)]
        everything = [len(what[bound]) for what in (locations, pairs)]
        seconds = sum(told["seconds"] for told in rows)
        print(f"{bound:>5} {len(timely):4} {len(whole):4} {len(quiet):4}  {share(count['sat'], asked)} "
              f"{share(none, asked)} {share(asked - count['sat'] - none, asked)} "
              f" {only} {everything} of {len(rows)} functions, "
              f"{asked} questions, {seconds:.0f} s   paper: {PAPER.get(bound, '')}", flush=True)


def table6(options, kept, results, bounds):
    """Avoidable overflows and underflows, one input each, as --harm judges them."""
    count = collections.Counter()
    for (function, bound), told in sorted(results.items()):
        if bound != bounds[0] or not told["findings"]:
            continue
        def make():
            judged = kept.folder / f"{function}-judged.report"
            subprocess.run([nanoscope, "replay", told["report"], "--harm", "--quiet", "--json", judged,
                            "--time-limit", "60"], capture_output=True, timeout=300)
            findings = json.loads(judged.read_text())["findings"]
            return [[f["kind"], f["details"].get("harm") or {}] for f in findings]
        for kind, harm in kept.get(f"{function}-harm", make):
            count[kind, "total"] += 1
            count[kind, "avoidable"] += harm.get("avoidable") is True
            count[kind, "unjudged"] += "avoidable" not in harm
    print("\nTable 6: potentially avoidable (the paper: 98 of 155 overflows, 180 of 217 underflows)")
    for kind in ("overflow", "underflow"):
        total, avoidable = count[kind, "total"], count[kind, "avoidable"]
        print(f"  {kind:10} {avoidable} of {total}, {share(avoidable, total)}; "
              f"{count[kind, 'unjudged']} not judged")


def decide(file, *words):
    """sat, unsat, reals (no solution over the reals), or unknown; and by whom."""
    command = [nanoscope, "solve", "--statistics", *words, file]
    try:
        ran = subprocess.run(command, capture_output=True, text=True, timeout=120)
    except subprocess.TimeoutExpired:
        return ["unknown", ""]
    first = (ran.stdout.split() or ["unknown"])[0]
    by = [line.split(" by ")[-1].strip() for line in ran.stderr.splitlines() if " by " in line]
    if first == "unknown" and "over the reals" in ran.stderr:
        first = "reals"
    return [first, by[-1] if by else ""]


NONLINEAR = re.compile(r"fp\.(mul|div|sqrt|rem|fma)")


def shape(file):
    """What a question is like: calls of libm, integers, floats that are squares or quotients."""
    text = Path(file).read_text()
    variables = len(re.findall(r"\(declare-(?:const|fun)", text))
    if "libm." in text:
        return "calls libm"
    if re.search(r"\bbv(?:add|mul|and|or|shl|lshr|ashr)\b|to_fp_unsigned|fp\.to_", text):
        return "integers and bits"
    if not NONLINEAR.search(text):
        return "linear"
    return "nonlinear, one unknown" if variables <= 1 else "nonlinear, several unknowns"


def ratios(options, kept, files):
    """What z3 and the loop decide, each asked alone of every question, by shape. The paper's loop had
    what a weaker Z3 left: how it does on questions that today's z3 answers belongs to the comparison."""
    limit = ["--time-limit", str(options.question_time)]
    ways = {"z3": ["--engine", "ariadne", "--concretizations", "0"],
            "loop": ["--engine", "ariadne-alone", "--concretizations", "1"]}
    def ask(job):
        file, way = job
        name = f"{way}-{file.parent.name}-{file.stem}"
        return kept.get(name, lambda: decide(file, *ways[way], *limit))[0]
    jobs = [(file, way) for file in files for way in ways]
    with ThreadPoolExecutor(options.jobs) as pool:
        answers = dict(zip(jobs, pool.map(ask, jobs)))
    decided = lambda file, way: answers[file, way] != "unknown"
    print(f"\n{len(files)} questions, each to z3 alone and to the loop alone (one concretisation); the paper's Z3 3.1 "
          "decided 0.48, its loop 0.76 to 0.82 of the rest")
    print(f"  {'':30} {'asked':>6} {'z3':>5} {'loop':>5} {'loop, of what z3 decides':>25} "
          f"{'of what z3 leaves':>18}   the loop's answers there")
    shapes = collections.defaultdict(list)
    for file in files:
        shapes[shape(file)].append(file)
    for name, some in [*sorted(shapes.items()), ("all", files)]:
        by = [f for f in some if decided(f, "z3")]
        left = [f for f in some if not decided(f, "z3")]
        of = lambda list: share(sum(decided(f, "loop") for f in list), len(list))
        told = collections.Counter(answers[f, "loop"] for f in left)
        print(f"  {name:30} {len(some):6} {share(len(by), len(some)):>5} {of(some):>5} {of(by):>25} "
              f"{of(left):>18}   " + ", ".join(f"{k} {v}" for k, v in sorted(told.items())))
    wrong = [f for f in files if {answers[f, w] for w in ways} == {"sat", "reals"}]
    print(f"  {len(wrong)} questions to which one found a model and the other none over the reals")
    return [file for file in files if answers[file, "loop"] in ("reals", "unknown")]


def intensive(options, kept, files):
    """Questions without a model at one concretisation, with more of them."""
    step = max(1, len(files) // max(1, options.questions))
    sample = files[::step][: options.questions]
    print(f"\n{len(sample)} questions without a model at 1 concretisation, with more of them "
          "(the paper: 6 % become sat at 1,000, 8 % at 1,000,000)")
    for number in ("1", "1000", "1000000"):
        words = ["--engine", "ariadne-alone", "--concretizations", number, "--time-limit", "10"]
        def ask(file):
            name = f"many-{number}-{file.parent.name}-{file.stem}"
            return kept.get(name, lambda: decide(file, *words))
        with ThreadPoolExecutor(options.jobs) as pool:
            count = collections.Counter(answer for answer, _ in pool.map(ask, sample))
        print(f"  {number:>8}: " + ", ".join(f"{k} {v}" for k, v in sorted(count.items())), flush=True)


def bars(file, title, rows):
    """A bar chart as SVG."""
    most = max([value for _, value in rows] + [1])
    width, line = 460, 22
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width + 240}" '
           f'height="{line * len(rows) + 50}" font-family="sans-serif" font-size="13">',
           f'<text x="8" y="20" font-weight="bold">{title}</text>']
    for at, (name, value) in enumerate(rows):
        y = 36 + at * line
        out.append(f'<text x="150" y="{y + 13}" text-anchor="end">{name}</text>'
                   f'<rect x="158" y="{y}" width="{width * value / most:.1f}" height="16" fill="#4878a8"/>'
                   f'<text x="{164 + width * value / most:.1f}" y="{y + 13}">{value}</text>')
    file.write_text("\n".join(out + ["</svg>"]) + "\n")
    print(f"wrote {file}")


def figures(work, results):
    kinds, functions = collections.Counter(), collections.defaultdict(set)
    everything = set()
    for (function, _), told in results.items():
        functions[function] |= pairs_of(told, function)
        kind = {f["id"]: f["kind"] for f in told["findings"]}
        everything |= {(kind[pair[1]], pair) for pair in pairs_of(told, function)}
    for kind, _ in everything:
        kinds[kind] += 1
    bars(work / "figure7.svg", f"{len(everything)} input-to-location pairs by exception",
         [(kind, kinds[kind]) for kind in KINDS + sorted(set(kinds) - set(KINDS))])
    edges = [0, 1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 50, 100]
    rows = []
    for low, high in zip(edges, edges[1:] + [None]):
        inside = sum(low <= len(p) and (high is None or len(p) < high) for p in functions.values())
        name = f"{low}" if high == low + 1 else f"{low} to {high - 1}" if high else f"{low} or more"
        rows.append((name, inside))
    bars(work / "figure8.svg", "functions by number of pairs", rows)


def main():
    options = arguments()
    if options.asked:
        kept = Kept(target / "bench-ariadne-asked" / options.asked.resolve().name)
        ratios(options, kept, sorted(options.asked.glob("*/*.smt2")))
        return
    if not (options.folder / "functions").exists():
        subprocess.run([root / "bench/gsl/prepare.sh", options.folder], check=True)
    lines = (options.folder / "functions").read_text().splitlines()
    functions = [line.split()[1] for line in lines][:: options.every]
    bounds = options.bounds.split(",")
    work = target / "bench-ariadne-evaluation"
    if options.fresh:
        shutil.rmtree(work, ignore_errors=True)
    kept = Kept(work)
    jobs = [(function, bound) for function in functions for bound in bounds]
    with ThreadPoolExecutor(options.jobs) as pool:
        told = pool.map(lambda job: explored(options, kept, *job), jobs)
        results = {job: one for job, one in zip(jobs, told) if one is not None}
    print(f"{len(functions)} functions, {len(bounds)} bounds, {options.time:g} s each; z3 is "
          f"{'installed' if shutil.which('z3') else 'not installed'}; {len(jobs) - len(results)} failed")
    table5(results, bounds)
    table6(options, kept, results, bounds)
    files = sorted(file for function in functions
                   for file in (work / "questions" / f"{function}-{bounds[-1]}").glob("*.smt2"))
    step = max(1, len(files) // (10 * options.questions))
    without = ratios(options, kept, files[::step])
    intensive(options, kept, without)
    figures(work, results)


sys.exit(main())
