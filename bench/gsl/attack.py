#!/usr/bin/env python3
"""Attacks what Nanoscope says never happens in GSL.

usage: bench/gsl/attack.py [--time S] [--of TIME] [--seed N] [--sample N] [--folder FOLDER]

Takes the verdicts `impossible` of a run of bench/gsl/run.sh (the one with TIME seconds a
function) and looks for an input that refutes one:

- all of them: the baseline's random tester with another seed, S processor seconds a function.
  An operation that raises what is impossible of it there is a proof that fell.
- a sample of N, spread evenly over engines, kinds and functions, of those that are not settled
  by a constant operand: a directed search for each function's, with another seed, that knows
  nothing of the proofs, S processor seconds too.

Both run the library with integers that wrap, as the proofs take them: where a signed integer
overflows (`abs(INT_MIN)`), C leaves everything undefined, and optimised code may well go where
the program as written does not. What is done is kept; a run that was ended goes on from there.
The exit code is 1 when one fell.
"""

import collections
import json
import os
import random
import re
import subprocess
import sys

import subject
import table


def main():
    parser = subject.options(__doc__, time=2)
    parser.add_argument("--of", default="10", help="of which run the verdicts are (10)")
    parser.add_argument("--seed", type=int, default=20)
    parser.add_argument("--sample", type=int, default=500)
    chosen = subject.prepared(parser)
    programs = subject.examples("baseline", "directed")
    make_wrapping(chosen.folder)
    ours = chosen.folder / f"nanoscope-{chosen.of}"
    impossible = {}
    for path in sorted(ours.glob("*.json")):
        list = [v for v in json.loads(path.read_text()) if v["verdict"] == "impossible"]
        if list:
            impossible[path.stem] = list
    if not impossible:
        sys.exit(f"no verdicts in {ours}: run bench/gsl/run.sh first")
    fallen = attack_all(chosen, programs["baseline"], impossible)
    fallen += attack_sample(chosen, programs["directed"], impossible)
    sys.exit(1 if fallen else 0)


def make_wrapping(folder):
    """Takes from the bitcode what says that integers do not overflow."""
    if not (folder / "wrapping.bc").exists():
        text = subprocess.run(["llvm-dis-19", "gsl.bc", "-o", "-"], cwd=folder, check=True, stdout=subprocess.PIPE, text=True).stdout
        text = re.sub(r"\b(?:nsw|nuw) ", "", text)
        text = re.sub(r"(@llvm\.abs\.[^(]*\([^,]*), i1 true", r"\1, i1 false", text)
        subprocess.run(["llvm-as-19", "-o", "wrapping.part"], cwd=folder, check=True, input=text, text=True)
        os.replace(folder / "wrapping.part", folder / "wrapping.bc")


def attack_all(chosen, program, impossible):
    folder = chosen.folder / f"attack-{chosen.seed}-{chosen.time:g}"
    functions = sorted(impossible)
    names = {function: impossible[function][0]["function"] for function in functions}
    for start in range(0, len(functions), 60):
        words = [program, "wrapping.bc", f"{chosen.time:g}", folder]
        words += [names[function] for function in functions[start : start + 60]]
        environment = {**os.environ, "SEED": str(chosen.seed)}
        subprocess.run(words, cwd=chosen.folder, env=environment, check=True)
        print(f"random tester: {min(start + 60, len(functions))} of {len(functions)} functions", file=sys.stderr)
    attacked, fallen, runs, engines = 0, [], 0, collections.Counter()
    for function in functions:
        text = (folder / names[function]).read_text()
        runs += sum(int(line.split()[-1]) for line in text.splitlines() if line.startswith("# runs"))
        raised = table.read_baseline(folder / names[function])
        for verdict in impossible[function]:
            if verdict["operation"] not in table.OWN:
                continue  # what libm does inside is not told apart
            attacked += 1
            engines[verdict["proof"]["engine"]] += 1
            if table.key(verdict) in raised:
                fallen.append(verdict["goal"])
    print(f"{attacked} verdicts of {len(functions)} functions ({told(engines)})")
    print(f"attacked by {runs} random runs, {chosen.time:g} s a function: {len(fallen)} fell")
    for goal in fallen:
        print("    fell:", goal)
    return len(fallen)


def attack_sample(chosen, program, impossible):
    sample = spread(impossible, chosen.sample, random.Random(chosen.seed))
    goals = chosen.folder / "attack.goals"
    results = chosen.folder / f"attack-{chosen.seed}-{chosen.time:g}" / ".directed"
    known = results.read_text().splitlines() if results.exists() else []
    done = {line.split()[1] for line in known}
    left = sorted({v["function"] for v in sample} - done)
    for start in range(0, len(left), 60):
        group = left[start : start + 60]
        with goals.open("w") as file:
            for verdict in sample:
                if verdict["function"] in group:
                    kind, place, column, operation, number = table.key(verdict)
                    print(verdict["function"], kind, f"{place}:{column}", operation, number, file=file)
        words = [program, "wrapping.bc", f"{chosen.time:g}", str(chosen.seed), goals]
        ran = subprocess.run(words, cwd=chosen.folder, check=True, stdout=subprocess.PIPE, text=True)
        known += ran.stdout.splitlines()
        part = results.with_name(".directed.part")
        part.write_text("\n".join(known) + "\n")
        os.replace(part, results)
        print(f"directed search: {start + len(group)} of {len(left)} functions", file=sys.stderr)
    engines = collections.Counter(v["proof"]["engine"] for v in sample)
    kinds = collections.Counter(v["kind"] for v in sample)
    count = collections.Counter(line.split()[0] for line in known)
    functions = len({v["function"] for v in sample})
    print(f"a sample of {len(sample)} of {functions} functions ({told(engines)}; {told(kinds)})")
    print(f"attacked by directed search, {chosen.time:g} s a function: {told(count)}")
    for line in known:
        if line.startswith(("fell", "doubtful")):
            print(f"    {line}")
    return count["fell"]


def spread(impossible, size, chance):
    """So many verdicts: engines and kinds take turns, and within these, functions."""
    groups = {}
    for function in sorted(impossible):
        for verdict in impossible[function]:
            engine = verdict["proof"]["engine"]
            if engine != "constants":
                groups.setdefault((engine, verdict["kind"]), {}).setdefault(function, []).append(verdict)
    queues = []
    for key in sorted(groups):
        rounds = []
        for list in groups[key].values():
            chance.shuffle(list)
            rounds += [(turn, chance.random(), verdict) for turn, verdict in enumerate(list)]
        rounds.sort(key=lambda entry: entry[:2], reverse=True)
        queues.append([verdict for _, _, verdict in rounds])
    sample = []
    while len(sample) < size and any(queues):
        for queue in queues:
            if queue and len(sample) < size:
                sample.append(queue.pop())
    return sample


def told(counts):
    return ", ".join(f"{name}: {count}" for name, count in sorted(counts.items()))


if __name__ == "__main__":
    main()
