"""What the scripts of bench/gsl share: where Nanoscope and GSL's bitcode are, and one run."""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

here = Path(__file__).resolve().parent
root = here.parents[1]
built = Path(os.environ.get("CARGO_TARGET_DIR", root / "target"))


def options(description, time):
    """A parser with the options that all have; `prepared` makes use of them."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, default=os.environ.get("FOLDER", built / "gsl"),
                        help="where GSL's bitcode is, or is to be made (FOLDER)")
    parser.add_argument("--nanoscope", type=Path, default=os.environ.get("NANOSCOPE", built / "release/nanoscope"),
                        help="the binary (NANOSCOPE)")
    parser.add_argument("--time", type=float, default=float(os.environ.get("TIME", time)),
                        help=f"processor seconds a function (TIME, {time})")
    return parser


def prepared(parser):
    """The options, with absolute paths, and GSL's bitcode in the folder."""
    chosen = parser.parse_args()
    chosen.folder, chosen.nanoscope = chosen.folder.resolve(), chosen.nanoscope.resolve()
    if not chosen.nanoscope.exists():
        sys.exit(f"{chosen.nanoscope} is not there: make build")
    subprocess.run([here / "prepare.sh", chosen.folder], check=True)
    return chosen


def exceptions(chosen, functions, report, *words):
    """The report of `nanoscope exceptions` on these functions, as a document."""
    command = [chosen.nanoscope, "exceptions", "gsl.bc", "-O2", "-lm", "--quiet", "--json", report,
               "--function-time", f"{chosen.time:g}",
               "--time-limit", str(60 * chosen.time * len(functions) + 3600), *words]
    command += [word for name in functions for word in ("--function", name)]
    status = subprocess.run(command, cwd=chosen.folder, stdout=subprocess.DEVNULL).returncode
    if status not in (0, 1):
        sys.exit(f"nanoscope failed with status {status}")
    return json.loads(report.read_text())


def examples(*names):
    """The programs of this folder that are examples of a crate, built; or those that
    environment variables (BASELINE, DIRECTED) name."""
    found = {name: os.environ.get(name.upper()) for name in names}
    missing = [name for name, path in found.items() if path is None]
    if missing:
        words = [word for name in missing for word in ("--example", name)]
        subprocess.run(["cargo", "build", "--quiet", "--release", "-p", "nanoscope-native", *words],
                       cwd=root, check=True)
    return {name: Path(path or built / "release/examples" / name).resolve() for name, path in found.items()}
