#!/usr/bin/env python3
"""EXCVATE's experiment: the 26 single-precision functions of BLAS levels 1 and 2, by the BLAS's own
tests. Prints a table like the paper's Table I for every build, input spoofs and result spoofs in
columns of their own.

    run.py [--levels O0,O2,O3,fast] [--types s,d,c,z] [--preload LIBRARY] [--folder FOLDER]

The paper's figures, over 23 builds of three libraries (spoofs, warnings, true positives):
sger 4,414 292 132; sgemv 91,098 11,168 636; sgbmv 117,694 4,421 295; srotmg 2,325 788 440; srotm
4,287 227 208; the others 330,894 9,617 0."""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
LEVELS = {"O0": ["-O0"], "O2": ["-O2"], "O3": ["-O3"], "fast": ["-O3", "-ffast-math"]}
PAPER = ["sger", "sgemv", "sgbmv", "srotmg", "srotm"]


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--levels", default="O2")
    arguments.add_argument("--types", default="s")
    arguments.add_argument("--blas", default="1,2", help="the BLAS levels to test")
    arguments.add_argument("--preload", help="test this library by the same programs")
    arguments.add_argument("--inputs-only", action="store_true")
    arguments.add_argument("--folder", default=str(HERE.parent.parent / "target" / "excvate"))
    options = arguments.parse_args()
    nanoscope = pathlib.Path(os.environ.get("NANOSCOPE", "target/release/nanoscope")).resolve()
    folder = pathlib.Path(options.folder)
    for level in options.levels.split(","):
        subprocess.run([HERE / "prepare.sh", folder, level, *LEVELS[level]], check=True)
        rows, findings, seconds = {}, [], 0.0
        for kind in options.types.split(","):
            for blas in options.blas.split(","):
                program = folder / level / f"{kind}blat{blas}"
                data = folder / "lapack" / "BLAS" / "TESTING" / f"{kind}blat{blas}.in"
                begin = time.monotonic()
                report = handling(nanoscope, program, data, options)
                seconds += time.monotonic() - begin
                findings += report["findings"]
                for row in report["handling"]["functions"]:
                    rows[row["function"].rstrip("_")] = row
        table(level, rows, findings, seconds)


def handling(nanoscope, program, data, options):
    command = [nanoscope, "handling", "--prototypes", "blas", "--error-routine", "xerbla_", "--json", "-"]
    if options.preload:
        command += ["--preload", options.preload]
    if options.inputs_only:
        command += ["--inputs-only"]
    command += ["--", program]
    with open(data if data.exists() else os.devnull, "rb") as source:
        run = subprocess.run(command, stdin=source, stdout=subprocess.PIPE)
    if run.returncode not in (0, 1):
        sys.exit(f"run.py: {program}: exit code {run.returncode}")
    return json.loads(run.stdout)


def table(level, rows, findings, seconds):
    print(f"\nreference BLAS 3.11, gfortran {' '.join(LEVELS[level])}: {seconds:.0f} s")
    head = ["function", "calls", "classes", "inputs", "failed", "results", "warnings", "reified"]
    print(f"{head[0]:<12}" + "".join(f"{word:>10}" for word in head[1:]))
    columns = ["calls", "classes", "input_spoofs", "input_failures", "result_spoofs", "warnings", "reified"]
    for name in PAPER + sorted(set(rows) - set(PAPER)):
        if name in rows:
            print(f"{name:<12}" + "".join(f"{rows[name][column]:>10}" for column in columns))
    total = [sum(row[column] for row in rows.values()) for column in columns]
    print(f"{'all':<12}" + "".join(f"{count:>10}" for count in total))
    for finding in findings:
        if finding["details"].get("finite_inputs") or "forever" in finding["details"]["what"]:
            print(f"  {finding['function']}: {finding['details']['what']}")


if __name__ == "__main__":
    main()
