#!/usr/bin/env python3
"""Programs with expectations, explored by `nanoscope test`: found, missed, proved, open, crash, time-out.

  run.py FOLDER... [--runs N] [--time S] [--memory SIZE] [--jobs N] [--results FILE] [-- OPTION...]
  run.py --diff OLD.json NEW.json

A program is a task if it says what is expected of it, in one of two forms.

- SV-COMP's: a task definition (.yml) with `input_files` and `properties`, each a `property_file`
  (.prp) and an `expected_verdict`. The properties unreach-call, valid-memsafety (and its parts) and
  no-overflow (which is not judged) are known by the CHECK line of their files.
- Ours: a source whose first comments say

      // expect: holds                      nothing can go wrong
      // expect: assertion-failure at 17    this kind of finding, on this line (another `at` for more)
      // flags: -O2 -lm                     flags for the compiler
      // loops: 4                           how often a path may come by the same place

Each task runs N times with the seeds 1 to N; options after -- go to `nanoscope test`. A result is

  found     what is expected to go wrong was seen natively (all of it, where lines are given)
  missed    it was not, and the run does not claim that nothing can go wrong
  unsound   it was not, and the run claims that nothing can go wrong
  proved    nothing goes wrong, as expected
  open      nothing is expected to go wrong, and it was not proved
  alarm     something was reported that is not expected
  crash     Nanoscope failed; time-out: it had to be killed

Configurations are ranked by SV-COMP's points: found 1, proved 2, alarm -16, unsound -32."""
import argparse
import collections
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import time

KINDS = ["found", "missed", "unsound", "proved", "open", "alarm", "crash", "time-out"]
POINTS = {"found": 1, "proved": 2, "alarm": -16, "unsound": -32}
MEMORY = {"invalid-deref", "invalid-free"}
REACHED = {"error-call", "assertion-failure"}
SOURCES = (".c", ".i", ".cc", ".cpp", ".f90", ".ll", ".bc")


class Task:
    """A program, what is asked of it, and what is expected."""

    def __init__(self, name, files, flags=(), loops=None, wanted=None, holds=False, kinds=None):
        self.name, self.files, self.flags, self.loops = name, files, list(flags), loops
        self.wanted = wanted or []  # (kind, line) of what must be found
        self.holds = holds  # nothing may be found
        self.kinds = kinds  # the kinds of finding that are asked about; None: all


def yaml_lists(text):
    """What a task definition says: its input files and its (property file, verdict) pairs."""
    files, properties, key = [], [], None
    for line in text.splitlines():
        line = line.split(" #")[0].rstrip()
        if match := re.match(r"(\w+):\s*(.*)$", line):
            key, value = match.groups()
            if key == "input_files" and value:
                files += re.findall(r"[^\s\[\],'\"]+", value)
        elif key == "input_files" and (match := re.match(r"\s*-\s*['\"]?([^'\"]+)['\"]?$", line)):
            files.append(match[1])
        elif key == "properties":
            if match := re.search(r"property_file:\s*['\"]?([^'\"]+)['\"]?$", line):
                properties.append([match[1], None])
            if properties and (match := re.search(r"expected_verdict:\s*(\w+)", line)):
                properties[-1][1] = match[1].lower() == "true"
    return files, properties


def kinds_of(path):
    """The kinds of finding that violate a property."""
    try:
        text = open(path).read()
    except OSError:
        text = os.path.basename(path)
    if "reach_error" in text or "unreach" in text or "__VERIFIER_error" in text:
        return REACHED
    if "valid-" in text or "memsafety" in text:
        return MEMORY
    return None


def defined(path):
    """The tasks of a task definition."""
    folder = os.path.dirname(path)
    files, properties = yaml_lists(open(path).read())
    for prp, verdict in properties:
        kinds = kinds_of(os.path.join(folder, prp))
        if verdict is None or kinds is None:
            continue
        name = f"{path}:{os.path.basename(prp)}"
        inputs = [os.path.join(folder, file) for file in files]
        wanted = [] if verdict else [(sorted(kinds), None)]
        yield Task(name, inputs, wanted=wanted, holds=verdict, kinds=kinds)


def commented(path):
    """The task that a source's comments make, if they do."""
    said = {}
    for line in open(path, errors="replace"):
        if match := re.match(r"\s*[/!*]+\s*(expect|flags|loops):\s*(.*)", line):
            said.setdefault(match[1], match[2].strip())
    if "expect" not in said:
        return
    kind, *lines = [part.strip() for part in said["expect"].split(" at ")]
    wanted = [([kind], int(line)) for line in lines] or ([] if kind == "holds" else [([kind], None)])
    loops = int(said["loops"]) if "loops" in said else None
    yield Task(path, [path], said.get("flags", "").split(), loops, wanted, kind == "holds")


def tasks(folders):
    for folder in folders:
        if os.path.isfile(folder):
            yield from defined(folder) if folder.endswith(".yml") else commented(folder)
            continue
        for where, _, names in sorted(os.walk(folder)):
            for name in sorted(names):
                path = os.path.join(where, name)
                if name.endswith(".yml"):
                    yield from defined(path)
                elif name.endswith(SOURCES):
                    yield from commented(path)


def judged(task, report):
    """What a report is worth."""
    found = [(f["kind"], f["line"]) for f in report["findings"]]
    if task.kinds:
        found = [(kind, line) for kind, line in found if kind in task.kinds]
    fits = lambda want: any(k in want[0] and want[1] in (None, line) for k, line in found)
    if task.holds:
        if found:
            return "alarm"
        return "proved" if report["status"] == "exhausted" else "open"
    if task.wanted and all(fits(want) for want in task.wanted):
        return "found"
    if found and not any(fits(want) for want in task.wanted):
        return "alarm"
    return "unsound" if report["status"] == "exhausted" else "missed"


def run(task, seed, options):
    command = [options.nanoscope, "test", *task.files, *task.flags, "--json", "-", "--seed", str(seed)]
    command += ["--time-limit", str(options.time), "--memory-limit", options.memory, "--no-coverage"]
    if task.loops:
        command += ["--max-loop", str(task.loops)]
    command += options.rest
    start = time.time()
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=2 * options.time + 30)
    except subprocess.TimeoutExpired:
        return "time-out", time.time() - start
    seconds = time.time() - start
    if done.returncode not in (0, 1):
        print(f"{task.name}: {done.stderr.strip()[-300:]}", file=sys.stderr)
        return "crash", seconds
    return judged(task, json.loads(done.stdout)), seconds


def table(results):
    """A row a folder: how its tasks ended, by their most frequent result, and points."""
    print(f"{'folder':<36} {'tasks':>6} " + " ".join(f"{kind:>8}" for kind in KINDS)
          + f" {'seconds':>9} {'points':>7}")
    rows = collections.defaultdict(list)
    for name, runs in results.items():
        rows[os.path.dirname(name.split(".yml:")[0]) or "."].append(runs)
        rows["all"].append(runs)
    for folder in sorted(rows, key=lambda name: (name == "all", name)):
        count = collections.Counter(usual(runs) for runs in rows[folder])
        seconds = sum(sum(s for _, s in runs) / len(runs) for runs in rows[folder])
        points = sum(POINTS.get(kind, 0) * n for kind, n in count.items())
        print(f"{folder[-36:]:<36} {len(rows[folder]):>6} "
              + " ".join(f"{count[kind]:>8}" for kind in KINDS) + f" {seconds:>9.1f} {points:>7}")
    varying = [name for name, runs in results.items() if len({kind for kind, _ in runs}) > 1]
    if varying:
        print("\nother results with other seeds: " + ", ".join(varying))


def usual(runs):
    """The most frequent result of several runs; of equals, the worse one."""
    count = collections.Counter(kind for kind, _ in runs)
    return max(count, key=lambda kind: (count[kind], KINDS.index(kind)))


def diff(old, new):
    """What changed between two files of results, and which of them ranks first."""
    files = {name: json.load(open(name)) for name in (old, new)}
    a, b = files[old]["results"], files[new]["results"]
    for name in sorted(set(a) | set(b)):
        before = usual(a[name]) if name in a else "absent"
        after = usual(b[name]) if name in b else "absent"
        if before != after:
            print(f"{name}: {before} -> {after}")
    common = sorted(set(a) & set(b))
    print(f"\n{'rank':<5} {'results':<40} {'points':>7} {'seconds':>9}   ({len(common)} common tasks)")
    points = lambda r: sum(POINTS.get(usual(r[name]), 0) for name in common)
    seconds = lambda r: sum(sum(s for _, s in r[name]) / len(r[name]) for name in common)
    order = sorted([(old, a), (new, b)], key=lambda it: (-points(it[1]), seconds(it[1])))
    for rank, (name, r) in enumerate(order, 1):
        print(f"{rank:<5} {name[-40:]:<40} {points(r):>7} {seconds(r):>9.1f}")


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    words, rest = sys.argv[1:], []
    if "--" in words:
        rest, words = words[words.index("--") + 1:], words[:words.index("--")]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folders", nargs="*")
    parser.add_argument("--diff", nargs=2, metavar=("OLD", "NEW"))
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--time", type=float, default=60)
    parser.add_argument("--memory", default="4G")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--results")
    parser.add_argument("--nanoscope", default=os.environ.get(
        "NANOSCOPE", os.path.join(here, "../../target/release/nanoscope")))
    options = parser.parse_args(words)
    options.rest = rest
    if options.diff:
        return diff(*options.diff)
    found = list(tasks(options.folders))
    if not found:
        sys.exit("no programs with expectations there; --help says how they are told")
    results = {task.name: [] for task in found}
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        jobs = {pool.submit(run, task, seed, options): task
                for task in found for seed in range(1, options.runs + 1)}
        for job in concurrent.futures.as_completed(jobs):
            results[jobs[job].name].append(job.result())
    table(results)
    if options.results:
        with open(options.results, "w") as out:
            json.dump({"options": rest, "time": options.time, "runs": options.runs,
                       "results": results}, out, indent=1)
    bad = {"unsound", "alarm", "crash"}
    return int(any(usual(runs) in bad for runs in results.values()))


if __name__ == "__main__":
    sys.exit(main())
