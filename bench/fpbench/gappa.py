#!/usr/bin/env python3
"""Runs Gappa on FPBench kernels of + - * / sqrt without branches, written as Gappa scripts from the
FPCores themselves, real inputs rounded on entry, and prints its bound and its time.

gappa.py FOLDER: the folder with shared.fpcore and bounds.tsv.
"""
import csv
import re
import subprocess
import sys
import time
from fractions import Fraction


def read(text):
    tokens = re.findall(r';[^\n]*|"(?:[^"\\\\]|\\\\.)*"|[()\[\]]|[^\s()\[\]";]+', text)
    stack = [[]]
    for token in tokens:
        if token[0] == ";":
            continue
        if token in "([":
            stack.append([])
        elif token in ")]":
            top = stack.pop()
            stack[-1].append(top)
        else:
            stack[-1].append(token)
    return stack[0]


class Unsupported(Exception):
    pass


def exact(token):
    return Fraction(token)


def is_number(token):
    try:
        exact(token)
        return True
    except (ValueError, ZeroDivisionError):
        return False


def script(core, ranges, form):
    """The kernel in Gappa's language: floats and reals, line by line."""
    lines, count, memo = [f"@rnd = float<{form}, ne>;"], [0], {}
    for name in core[1]:
        plain = clean(name)
        lines.append(f"{plain} = rnd({plain}_r);")

    def decimal(token):
        value = exact(token)
        return f"({value.numerator} / {value.denominator})" if value.denominator != 1 else str(value.numerator)

    def node(float_text, real_text):
        if (float_text, real_text) not in memo:
            count[0] += 1
            name = f"v{count[0]}"
            lines.append(f"{name}_f = {float_text};")
            lines.append(f"{name}_r = {real_text};")
            memo[(float_text, real_text)] = name
        name = memo[(float_text, real_text)]
        return f"{name}_f", f"{name}_r"

    def walk(e, scope):
        if isinstance(e, str):
            if e in scope:
                return scope[e]
            if is_number(e):
                return node(f"rnd({decimal(e)})", decimal(e))
            raise Unsupported(e)
        head = e[0]
        if head in ("let", "let*"):
            inner = dict(scope)
            for name, value in e[1]:
                inner[name] = walk(value, inner if head == "let*" else scope)
            return walk(e[2], inner)
        if head not in ("+", "-", "*", "/", "sqrt"):
            raise Unsupported(head)
        operands = [walk(x, scope) for x in e[1:]]
        if head == "sqrt":
            (f, r), = operands
            return node(f"rnd(sqrt({f}))", f"sqrt({r})")
        if len(operands) == 1:
            (f, r), = operands
            return node(f"-{f}", f"-{r}")
        (af, ar), (bf, br) = operands
        return node(f"rnd({af} {head} {bf})", f"{ar} {head} {br}")

    scope = {name: (clean(name), clean(name) + "_r") for name in core[1]}
    f, r = walk(core[-1], scope)
    given = " -> ".join(f"{clean(name)}_r in [{low},{high}]" for name, (low, high) in ranges.items())
    lines.append("{ " + given + f" -> {f} - {r} in ? }}")
    return "\n".join(lines)


def clean(name):
    return re.sub(r"\W", "_", name) + "_v"


def main():
    folder = sys.argv[1]
    rows = {row["kernel"]: row for row in csv.DictReader(open(f"{folder}/bounds.tsv"), delimiter="\t")}
    print()
    print(f"{'Gappa, run here':30} {'bound':>12} {'s':>6}")
    for core in read(open(f"{folder}/shared.fpcore").read()):
        name = core[core.index(":name") + 1].strip('"') if ":name" in core else "?"
        row = rows.get(name)
        if row is None:
            continue
        ranges = dict()
        for part in row["ranges_used_here"].split("], "):
            variable, ends = part.rstrip("]").split("=[")
            ranges[variable] = ends.split(",")
        form = "ieee_64" if row["format"] == "binary64" else "ieee_32"
        try:
            text = script(core, ranges, form)
        except Unsupported:
            continue
        begin = time.time()
        try:
            run = subprocess.run(["gappa"], input=text, capture_output=True, text=True, timeout=20)
            output = run.stdout + run.stderr
        except subprocess.TimeoutExpired:
            output = ""
        found = re.search(r" in \[(.*?), (.*?)\]\s*$", output.strip(), re.S)
        numbers = re.findall(r"\{(-?[\d.e+-]+)", output)
        bound = max((abs(float(x)) for x in numbers[-2:]), default=float("nan")) if found or numbers else float("nan")
        print(f"{name[:30]:30} {bound:12.4e} {time.time() - begin:6.2f}")


main()
