#!/usr/bin/env python3
"""Lists the scalar functions of a folder of sources from the text of their bitcode.

usage: functions.py FOLDER < TEXT

A line each: source file, symbol, and whether it is public or internal. A function is scalar
when its parameters are numbers, enumerations or pointers to single results: arrays, series
and workspaces are not. Where a function has a twin with an error estimate (gsl_sf_X_e beside
gsl_sf_X), the twin is listed.
"""

import re
import sys

RESULTS = {"gsl_sf_result", "gsl_sf_result_e10", "gsl_sf_result_struct", "gsl_sf_result_e10_struct"}
ARRAYS = {"tt", "zz", "dd", "e2", "v", "qnum", "qden", "coeff"}
NUMBERS = {"double", "float", "int", "unsigned int", "long", "unsigned long"}


def main():
    nodes, defined = {}, []
    for line in sys.stdin:
        if line.startswith("!") and (match := re.match(r"!(\d+) = (?:distinct )?(.*)", line)):
            nodes[match[1]] = match[2]
        elif line.startswith("define "):
            match = re.search(r'@("?)([^"(]+)\1\(.*!dbg !(\d+)', line)
            if match:
                internal = re.match(r"define internal ", line) is not None
                defined.append((match[2], internal, match[3]))
    symbols = {symbol for symbol, _, _ in defined}
    for symbol, internal, node in defined:
        if f"{symbol}_e" in symbols:
            continue  # computes nothing itself: calls its twin and drops the error estimate
        text = nodes[node]
        name = re.search(r'name: "([^"]*)"', text)[1]
        file = re.search(r'filename: "([^"]*)"', nodes[field(text, "file")])[1]
        types = [t for t in listed(nodes, field(nodes[field(text, "type")], "types"))]
        names = arguments(nodes, text)
        if not file.startswith(sys.argv[1]) or not file.endswith(".c"):
            continue
        if types[0] is None or not all(scalar(nodes, t, n) for t, n in zip(types[1:], names)):
            continue
        if len(types) > 1 and "array" not in name:
            print(file, symbol, "internal" if internal else "public")


def field(text, key):
    match = re.search(rf"\b{key}: !(\d+)", text)
    return match[1] if match else None


def listed(nodes, node):
    """The elements of a list node; None where the list has `null`."""
    if node is None:
        return [None]
    return [item[1:] if item != "null" else None for item in re.findall(r"!\d+|null", nodes[node][1:])]


def arguments(nodes, subprogram):
    """The parameters' names, where the compiler kept them."""
    names = {}
    for node in listed(nodes, field(subprogram, "retainedNodes")):
        match = node and re.search(r'name: "([^"]*)", arg: (\d+)', nodes[node])
        if match:
            names[int(match[2])] = match[1]
    return [names.get(number, "") for number in range(1, 100)]


def scalar(nodes, node, name):
    text = nodes[node]
    if "DW_TAG_const_type" in text or "DW_TAG_typedef" in text:
        base = field(text, "baseType")
        return base is not None and scalar(nodes, base, name)
    if "DW_TAG_pointer_type" in text:
        return pointee(nodes, field(text, "baseType"), name)
    if "DIBasicType" in text:
        return re.search(r'name: "([^"]*)"', text)[1] in NUMBERS
    return "DW_TAG_enumeration_type" in text


def pointee(nodes, node, name):
    """Whether a pointer is one to a single number that the function sets."""
    if node is None or "array" in name or name in ARRAYS:
        return False
    text = nodes[node]
    if "DW_TAG_typedef" in text:
        title = re.search(r'name: "([^"]*)"', text)[1]
        return title in RESULTS or pointee(nodes, field(text, "baseType"), name)
    if "DIBasicType" in text:
        return re.search(r'name: "([^"]*)"', text)[1] in NUMBERS
    return "DICompositeType" in text and any(f'name: "{title}"' in text for title in RESULTS)


main()
