#!/usr/bin/env python3
"""Follows the walk-throughs of CONTRIBUTING.md in a scratch copy, and compares the errors that they
quote with what the compiler says.  usage: scripts/walkthrough.py [SECTION]

Every quoted error must come, in the file that is quoted; so must none that is not quoted in the
packages that are checked. Line numbers are not compared."""
import os, pathlib, re, shutil, subprocess, sys, tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
TARGET = os.environ.get("CARGO_TARGET_DIR", str(ROOT / "target"))


def quoted(section):
    """The errors that a section of CONTRIBUTING.md quotes: message and file."""
    text = (ROOT / "CONTRIBUTING.md").read_text()
    part = text.split(f"## {section}\n", 1)[1].split("\n## ", 1)[0]
    errors = set()
    for block in re.findall(r"```\n(error.*?)```", part, re.S):
        for message, file in re.findall(r"(error[^\n]*)\n(?:\s*--> (\S+))?", block):
            errors.add((message, file))
    return errors


def told(copy, packages):
    """The errors of `cargo check`: message and file."""
    command = ["cargo", "check", "--quiet", "--keep-going"]
    for package in packages:
        command += ["-p", f"nanoscope-{package}"]
    environment = dict(os.environ, CARGO_TARGET_DIR=TARGET, CARGO_TERM_COLOR="never")
    run = subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True)
    errors = set()
    for message, file in re.findall(r"^(error[^\n]*)\n(?:\s*--> (\S+?):\d+:\d+)?", run.stderr, re.M):
        if "could not compile" not in message and "aborting" not in message:
            errors.add((message, file))
    return errors


def put(copy, file, before, text):
    """Puts text before the first place where `before` stands."""
    path = copy / file
    old = path.read_text()
    assert before in old, f"{file} has no {before!r}"
    path.write_text(old.replace(before, text + before, 1))


def kind(copy):
    row = '    "stale-rounding"           StaleRounding          stale_rounding\n'
    put(copy, "report/src/kinds/mod.rs", '    "unreachable"  ', row)
    yield ["report"]
    shutil.copy(copy / "report/src/kinds/overflow.rs", copy / "report/src/kinds/stale_rounding.rs")
    put(copy, "report/src/kinds/mod.rs", "mod underflow;\n", "mod stale_rounding;\n")
    yield ["report"]


def operation(copy):
    row = (
        "            /// The reciprocal of the square root (9.2).\n"
        "            ReciprocalSqrt reciprocal_sqrt [format: Format] (rounding: Rounding, a: Float) "
        "-> Float raises [Invalid, DivideByZero, Inexact];\n"
    )
    put(copy, "ieee/src/operation.rs", "            /// `a - b * n` with `n` the integer nearest", row)
    yield ["ieee"]
    (copy / "ieee/vectors/reciprocal_sqrt.txt").write_text("")
    yield ["ieee"]


def libm(copy):
    row = (
        "                /// Sine of a multiple of pi (C23).\n"
        "                Sinpi sinpi sinpif One Finite [Underflow] keeps;\n"
    )
    put(copy, "ieee/src/libm.rs", "                /// Cosine.\n", row)
    yield ["sets"]
    # So that the rooms above it are looked at, too.
    put(copy, "sets/src/libm/unary.rs", "        Libm::Tanh | Libm::Erf => ", "        Libm::Sinpi => Shape::any(grid.finite(), unit),\n")
    yield ["solver"]


def domain(copy):
    source = "//! Congruences of integers.\nuse super::point::Domain;\n#[derive(Clone, Debug, Default)]\npub struct Congruences;\n"
    (copy / "ranges/src/domain/congruences.rs").write_text(source)
    put(copy, "ranges/src/domain/mod.rs", "pub mod environment;\n", "pub mod congruences;\n")
    put(copy, "ranges/src/domain/point.rs", "            /// Value numbers.\n", "            /// Congruences of integers.\n            congruences: Congruences,\n")
    yield ["ranges"]


def engine(copy):
    (copy / "solver/src/engines/oracle.rs").write_text(
        "//! An oracle.\nuse crate::engine::Engine;\n/// Knows.\npub struct Oracle;\nimpl Engine for Oracle {}\n"
    )
    put(copy, "solver/src/engines/mod.rs", "mod ", "mod oracle;\n")
    put(copy, "solver/src/solver.rs", "    /// Another solver", "    /// An oracle.\n    Oracle,\n")
    yield ["solver"]


SECTIONS = {
    "How to add a kind of finding": kind,
    "How to add an operation": operation,
    "How to add a function of libm": libm,
    "How to add a domain to `ranges`": domain,
    "How to add an engine": engine,
}


def main():
    wrong = 0
    for section, walk in SECTIONS.items():
        if len(sys.argv) > 1 and sys.argv[1] not in section:
            continue
        with tempfile.TemporaryDirectory() as folder:
            copy = pathlib.Path(folder)
            files = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True)
            for name in filter(None, files.stdout.split("\0")):
                if (ROOT / name).is_file():
                    (copy / name).parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy(ROOT / name, copy / name)
            found = set()
            for packages in walk(copy):
                found |= told(copy, packages)
        expected = quoted(section)
        print(f"{section}: {len(expected)} quoted, {len(found)} told")
        for what, errors in [("not told", expected - found), ("not quoted", found - expected)]:
            for message, file in sorted(errors):
                wrong += 1
                print(f"  {what}: {message}\n      {file}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
