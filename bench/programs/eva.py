#!/usr/bin/env python3
"""The programs of run.py that are written in C, by Frama-C's Eva, and the same by Nanoscope.

  eva.py FOLDER... [--time S] [--precision 0..11] [--results FILE]

Eva proves and finds nothing: where something goes wrong it can only tell that it may. So a result is `proved` if
every property of the program has the status Valid, `found` if one that must fail has the status Invalid, else
`open` or `missed`; `unsound` if all are Valid though one fails. `crash`: a program that Frama-C does not read.
NaN and infinities are allowed (-warn-special-float none), as they are to `nanoscope test`. The results are a
file for `run.py --diff EVA OURS`. The limit of time is of the processor."""
import argparse
import csv
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import run  # noqa: E402

# What the programs use of verifiers' interfaces, in Frama-C's words.
PRELUDE = r"""
#include <stdlib.h>
#include "__fc_builtin.h"
#define __VERIFIER_assume(c) do { if (!(c)) exit(0); } while (0)
#define klee_assume(c) do { if (!(c)) exit(0); } while (0)
#define klee_make_symbolic(p, n, name) Frama_C_make_unknown((char *)(p), (n))
#define reach_error() Frama_C_failure()
#define __VERIFIER_error() Frama_C_failure()
#define klee_assert(c) do { if (!(c)) Frama_C_failure(); } while (0)
#define abort() Frama_C_failure()
static void Frama_C_failure(void) {
  /*@ assert \false; */
  exit(1);
}
"""
DECLARED = re.compile(
    r"^\s*(extern\s+)?\w+\s+(__VERIFIER_assume|klee_assume|klee_make_symbolic|reach_error|__VERIFIER_error)\s*"
    r"\([^;{)]*\)\s*(__attribute__\s*\(\([^;]*\)\))?\s*(;|\{[^}]*\})", re.M)


def by_eva(task, options, share):
    """How Eva's analysis of a task ends."""
    text = DECLARED.sub("", open(task.files[0], errors="replace").read())
    text = re.sub(r"#\s*include\s*[<\"]klee/[^\n]*", "", text)
    with tempfile.TemporaryDirectory() as folder:
        source, table = os.path.join(folder, "program.c"), os.path.join(folder, "table.csv")
        with open(source, "w") as out:
            out.write(PRELUDE + '#line 1 "program.c"\n' + text)
        flags = " ".join(flag for flag in task.flags if flag[:2] in ("-D", "-I", "-U"))
        command = ["frama-c", "-machdep", "gcc_x86_64", f"-cpp-extra-args=-I{share}/libc {flags}",
                   "-eva", "-eva-precision", str(options.precision), "-warn-special-float", "none",
                   source, "-then", "-report-csv", table]
        limit = int(options.time)
        done = subprocess.run(command, capture_output=True, text=True, errors="replace",
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit)))
        if done.returncode < 0:
            return "open" if task.holds else "missed"
        if done.returncode or not os.path.exists(table):
            print(f"{task.name}: {done.stdout.strip()[-200:]}", file=sys.stderr)
            return "crash"
        rows = csv.DictReader(open(table), delimiter="\t")
        statuses = {row["status"] for row in rows
                    if "FRAMAC_SHARE" not in row["directory"] and "clause" not in row["property kind"]}
    statuses -= {"Considered valid", "Dead"}
    invalid = {status for status in statuses if status.startswith("Invalid")}
    if task.holds:
        return "alarm" if invalid else "proved" if statuses <= {"Valid"} else "open"
    return "found" if invalid else "unsound" if statuses <= {"Valid"} else "missed"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--time", type=float, default=15)
    parser.add_argument("--precision", type=int, default=7)
    parser.add_argument("--results")
    options = parser.parse_args()
    try:
        share = subprocess.run(["frama-c", "-print-share-path"], capture_output=True, text=True).stdout.strip()
    except FileNotFoundError:
        sys.exit("frama-c is missing: apt-get install frama-c-base")
    results = {}
    for task in run.tasks(options.folders):
        if len(task.files) == 1 and task.files[0].endswith((".c", ".i")):
            start = time.time()
            kind = by_eva(task, options, share)
            results[task.name] = [(kind, time.time() - start)]
    run.table(results)
    if options.results:
        with open(options.results, "w") as out:
            json.dump({"options": ["eva"], "time": options.time, "runs": 1, "results": results}, out, indent=1)


if __name__ == "__main__":
    main()
