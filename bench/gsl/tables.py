#!/usr/bin/env python3
"""Tables 3 and 4 of the Ariadne paper, in GSL 2.7.1.

usage: bench/gsl/tables.py [--time S] [--folder FOLDER] [--nanoscope BINARY]

Each row of the tables is a function, a line and an input that divides by zero or is invalid
there. Each function is searched twice: as a whole, and with its inputs held at the paper's.
Printed are the line as it stands today, what Nanoscope found on it by itself with the input
that confirms it, and whether the paper's own input still does it.
"""

import subject

# Table, function, file, line, kind, and inputs, as the paper has them.
ROWS = [
    (3, "gsl_sf_conicalP_1_e", "legendre_con.c", 989, "divide-by-zero", {"lambda": "2.0e+01", "x": "1.0e+00"}),
    (3, "gsl_sf_bessel_Jnu_asympx_e", "bessel.c", 234, "divide-by-zero", {"nu": "0.0", "x": "0.0"}),
    (3, "gsl_sf_exprel_n_CF_e", "exp.c", 89, "divide-by-zero", {"N": "-1.0e+00", "x": "1.340781e+154"}),
    (3, "gsl_sf_bessel_Knu_scaled_asympx_e", "bessel.c", 317, "divide-by-zero", {"nu": "0.0", "x": "0.0"}),
    (4, "gsl_sf_bessel_Inu_scaled_asymp_unif_e", "bessel.c", 361, "invalid", {"nu": "-2.225074e-308", "x": "0.0"}),
    (4, "gsl_sf_bessel_Knu_scaled_asympx_e", "bessel.c", 317, "invalid", {"nu": "-7.458341e-155", "x": "-8.654053e+01"}),
    (4, "gsl_sf_bessel_Jnu_asympx_e", "bessel.c", 234, "invalid", {"nu": "-5.0e-01", "x": "0.0"}),
    (4, "gsl_sf_bessel_Inu_scaled_asympx_e", "bessel.c", 302, "invalid", {"nu": "-1.5e+00", "x": "-3.921032e+03"}),
]


def main():
    chosen = subject.prepared(subject.options(__doc__, time=5))
    report = chosen.folder / "tables.json"
    functions = sorted({function for _, function, *_ in ROWS})
    whole = subject.exceptions(chosen, functions, report)["findings"]
    missing = 0
    for table, function, file, line, kind, inputs in ROWS:
        said = ", ".join(f"{name} = {value}" for name, value in inputs.items())
        print(f"Table {table}: {function}, line {line}, {kind}; {said}")
        held = [word for name, value in inputs.items() for word in ("--input", f"{name}={value}..{value}")]
        pinned = subject.exceptions(chosen, [function], report, "--evaluations", "1000", *held)
        own = [f for f in whole if at(f, function, file, line) and f["kind"] == kind]
        theirs = [f for f in pinned["findings"] if at(f, function, file, line) and f["kind"] == kind]
        print(f"    today   {file}:{line}: {text(whole, file, line)}")
        for finding in own:
            given = ", ".join(f"{i['name']} = {i['value']}" for i in finding["inputs"])
            print(f"    found   {finding['operation']} in column {finding['column']}: {given}"
                  f" ({finding['details'].get('harm', {}).get('effect', 'not judged')}, {finding['engine']})")
        if not own:
            print("    found   not")
        columns = sorted({f["column"] for f in theirs})
        print("    paper's input", f"still does it, column {', '.join(map(str, columns))}" if theirs else "does not do it")
        missing += not own
    report.unlink()
    print(f"\n{len(ROWS) - missing} of {len(ROWS)} found and confirmed")


def at(finding, function, file, line):
    place = finding["file"].rsplit("/", 1)[-1], finding["line"]
    return finding["function"] == function and place == (file, line) and finding["confirmed"]


def text(findings, file, line):
    """A line of the source, as the bitcode's places name it."""
    path = next(f["file"] for f in findings if f["file"].endswith(f"/{file}"))
    with open(path) as source:
        return source.read().splitlines()[line - 1].strip()


if __name__ == "__main__":
    main()
