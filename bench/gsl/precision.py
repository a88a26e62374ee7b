#!/usr/bin/env python3
"""GSL's special functions of one argument: how wrong can their results be?

Nanoscope searches each function for relative errors above 1e-3, once guided and once blind (inputs
drawn at random, the same runs with running errors, the same confirmation), both with the same time.
An error counts where the call reports success and the original code, run natively, is that far from
the same code run in exact arithmetic. Where mpmath has the function, its value decides too: an error
is `true` if the computed value is as far from the function itself.

usage: precision.py [--nanoscope PATH] [--time S] [--every N] [FOLDER]

FOLDER (target/gsl) is where prepare.sh puts GSL's bitcode. mpmath is installed into a virtual
environment there.
"""

import argparse
import json
import os
import re
import resource
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
THRESHOLD = 1e-3
# One argument and an order, not a mode.
ORDERS = {"gsl_sf_pow_int_e", "gsl_sf_bessel_zero_Jnu_e", "gsl_sf_exp_e10_e"}

# What mpmath calls GSL's functions (m: mpmath, x: the argument).
MPMATH = {
    "airy_Ai": lambda m, x: m.airyai(x),
    "airy_Bi": lambda m, x: m.airybi(x),
    "airy_Ai_deriv": lambda m, x: m.airyai(x, derivative=1),
    "airy_Bi_deriv": lambda m, x: m.airybi(x, derivative=1),
    "bessel_I0": lambda m, x: m.besseli(0, x),
    "bessel_I1": lambda m, x: m.besseli(1, x),
    "bessel_I0_scaled": lambda m, x: m.besseli(0, x) * m.exp(-abs(x)),
    "bessel_I1_scaled": lambda m, x: m.besseli(1, x) * m.exp(-abs(x)),
    "bessel_J0": lambda m, x: m.besselj(0, x),
    "bessel_J1": lambda m, x: m.besselj(1, x),
    "bessel_K0": lambda m, x: m.besselk(0, x),
    "bessel_K1": lambda m, x: m.besselk(1, x),
    "bessel_K0_scaled": lambda m, x: m.besselk(0, x) * m.exp(x),
    "bessel_K1_scaled": lambda m, x: m.besselk(1, x) * m.exp(x),
    "bessel_Y0": lambda m, x: m.bessely(0, x),
    "bessel_Y1": lambda m, x: m.bessely(1, x),
    "bessel_j0": lambda m, x: m.sin(x) / x,
    "bessel_j1": lambda m, x: (m.sin(x) / x - m.cos(x)) / x,
    "bessel_j2": lambda m, x: ((3 / x**2 - 1) * m.sin(x) - 3 * m.cos(x) / x) / x,
    "bessel_y0": lambda m, x: -m.cos(x) / x,
    "bessel_y1": lambda m, x: -(m.cos(x) / x + m.sin(x)) / x,
    "bessel_y2": lambda m, x: ((1 - 3 / x**2) * m.cos(x) - 3 * m.sin(x) / x) / x,
    "clausen": lambda m, x: m.clsin(2, x),
    "dawson": lambda m, x: m.sqrt(m.pi) / 2 * m.exp(-x * x) * m.erfi(x),
    "dilog": lambda m, x: m.re(m.polylog(2, x)),
    "ellint_Kcomp": lambda m, x: m.ellipk(x * x),
    "ellint_Ecomp": lambda m, x: m.ellipe(x * x),
    "erf": lambda m, x: m.erf(x),
    "erfc": lambda m, x: m.erfc(x),
    "log_erfc": lambda m, x: m.log(m.erfc(x)),
    "erf_Z": lambda m, x: m.exp(-x * x / 2) / m.sqrt(2 * m.pi),
    "erf_Q": lambda m, x: m.erfc(x / m.sqrt(2)) / 2,
    "exp": lambda m, x: m.exp(x),
    "expm1": lambda m, x: m.expm1(x),
    "exprel": lambda m, x: m.expm1(x) / x,
    "exprel_2": lambda m, x: 2 * (m.expm1(x) - x) / x**2,
    "expint_E1": lambda m, x: m.re(m.e1(x)),
    "expint_E2": lambda m, x: m.re(m.expint(2, x)),
    "expint_Ei": lambda m, x: m.ei(x),
    "expint_E1_scaled": lambda m, x: m.re(m.e1(x)) * m.exp(x),
    "expint_Ei_scaled": lambda m, x: m.ei(x) * m.exp(-x),
    "lngamma": lambda m, x: m.re(m.loggamma(x)),
    "gamma": lambda m, x: m.gamma(x),
    "gammainv": lambda m, x: m.rgamma(x),
    "lambert_W0": lambda m, x: m.re(m.lambertw(x)),
    "lambert_Wm1": lambda m, x: m.re(m.lambertw(x, -1)),
    "legendre_P2": lambda m, x: (3 * x * x - 1) / 2,
    "legendre_P3": lambda m, x: x * (5 * x * x - 3) / 2,
    "log": lambda m, x: m.log(x),
    "log_abs": lambda m, x: m.log(abs(x)),
    "log_1plusx": lambda m, x: m.log1p(x),
    "log_1plusx_mx": lambda m, x: m.log1p(x) - x,
    "psi": lambda m, x: m.psi(0, x),
    "psi_1": lambda m, x: m.psi(1, x),
    "psi_1piy": lambda m, x: m.re(m.psi(0, m.mpc(1, x))),
    "Shi": lambda m, x: m.shi(x),
    "Chi": lambda m, x: m.re(m.chi(x)),
    "Si": lambda m, x: m.si(x),
    "Ci": lambda m, x: m.re(m.ci(x)),
    "sin": lambda m, x: m.sin(x),
    "cos": lambda m, x: m.cos(x),
    "sin_pi": lambda m, x: m.sinpi(x),
    "cos_pi": lambda m, x: m.cospi(x),
    "sinc": lambda m, x: m.sincpi(x),
    "lnsinh": lambda m, x: m.log(m.sinh(x)),
    "lncosh": lambda m, x: m.log(m.cosh(x)),
    "zeta": lambda m, x: m.zeta(x),
    "zetam1": lambda m, x: m.zeta(x) - 1,
    "eta": lambda m, x: m.altzeta(x),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--nanoscope", default=os.path.join(ROOT, "target/release/nanoscope"))
    parser.add_argument("--time", type=float, default=1.0, help="seconds a function")
    parser.add_argument("--every", type=int, default=1, help="only every Nth function")
    parser.add_argument("folder", nargs="?", default=os.path.join(ROOT, "target/gsl"))
    said = parser.parse_args()
    folder = os.path.abspath(said.folder)
    if not os.path.exists(os.path.join(folder, "gsl.bc")):
        subprocess.run([os.path.join(HERE, "prepare.sh"), folder], check=True)
    signatures = univariate(folder)
    names = sorted(signatures)[:: said.every]
    print(f"{len(names)} functions of one argument, {said.time} s each, guided and blind")
    modes = [f"--input={name}:mode=0..0" for name in names if signatures[name]]
    guided = search(said, folder, names, modes, [])
    blind = search(said, folder, names, modes, ["--blind"])
    table(folder, names, guided, blind)


def univariate(folder):
    """The public functions with one number, perhaps a precision mode, and a result: whether they
    have a mode."""
    text = subprocess.run(["llvm-dis-19", os.path.join(folder, "gsl.bc"), "-o", "-"],
                          capture_output=True, text=True, check=True).stdout
    pattern = r"^define (?:dso_local )?i32 @(gsl_sf_\w+_e)\(double [^,]*, (i32 [^,]*, )?ptr [^,)]*\)"
    return {name: bool(mode) for name, mode in re.findall(pattern, text, re.M) if name not in ORDERS}


def search(said, folder, names, modes, more):
    """The largest relative error shown of each function: error, argument, computed value."""
    report = os.path.join(folder, "precision.json")
    if os.path.exists(report):
        os.remove(report)
    command = [said.nanoscope, "precision", os.path.join(folder, "gsl.bc"), "-lm", "--only", "show",
               "--status-ok", "ret == 0", "--threshold", str(THRESHOLD), "--function-time",
               str(said.time), "--time-limit", str(60 + 4 * said.time * len(names)), "--jobs", "1",
               "--json", report, "--quiet"] + modes + more
    for name in names:
        command += ["--function", name]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, stdout=subprocess.DEVNULL, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    print(f"  {' '.join(more) or 'guided':8} {cpu / len(names):.2f} processor seconds a function, "
          "compiling included")
    found = {}
    for entry in json.load(open(report))["errors"]:
        shown = entry.get("shown")
        if not shown or "val" not in (entry.get("output") or "val"):
            continue
        error = number(shown.get("relative"))
        if error > found.get(entry["function"], (0.0,))[0]:
            argument = next(one for one in shown["inputs"] if one["type"] == "double")
            found[entry["function"]] = (error, argument["hex"], shown["computed"]["hex"])
    return found


def number(text):
    try:
        return float(text)
    except (TypeError, ValueError):
        return float("inf") if text and "inf" in str(text).lower() else 0.0


def true_error(python, name, argument, computed):
    """How far a value is from the function itself; None where mpmath does not have it."""
    script = ("import sys, mpmath\n"
              f"sys.path.insert(0, {HERE!r})\n"
              "from precision import MPMATH\n"
              "mpmath.mp.prec = 2200\n"
              "x, value = (mpmath.mpf(float.fromhex(text)) for text in sys.argv[2:4])\n"
              "true = MPMATH[sys.argv[1]](mpmath, x)\n"
              "least = mpmath.mpf(2) ** -1022\n"
              "lost = mpmath.isfinite(true) and not mpmath.isfinite(value)\n"
              "error = abs(value - true) / max(abs(true), least)\n"
              "print('inf' if lost else mpmath.nstr(error, 5))")
    try:
        done = subprocess.run([python, "-c", script, name, argument, computed], capture_output=True,
                              text=True, timeout=20)
    except subprocess.TimeoutExpired:
        return None
    return number(done.stdout.strip()) if done.returncode == 0 and done.stdout.strip() else None


def table(folder, names, guided, blind):
    python = os.path.join(folder, "venv/bin/python")
    if not os.path.exists(python):
        subprocess.run([sys.executable, "-m", "venv", os.path.join(folder, "venv")], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "mpmath"], check=True)
    counts = {"guided": 0, "blind": 0, "asked": 0, "true": 0}
    print(f"{'function':32} {'guided':>9} {'blind':>9} {'true':>9}  at")
    for name in names:
        short = name[len("gsl_sf_"):-len("_e")]
        ours, theirs = guided.get(name, (0.0, "", "")), blind.get(name, (0.0,))
        counts["guided"] += ours[0] > THRESHOLD
        counts["blind"] += theirs[0] > THRESHOLD
        true = None
        if ours[0] > THRESHOLD and short in MPMATH:
            true = true_error(python, short, ours[1], ours[2])
        if true is not None:
            counts["asked"] += 1
            counts["true"] += true > THRESHOLD
        print(f"{name:32} {ours[0]:9.2e} {theirs[0]:9.2e} {'' if true is None else f'{true:9.2e}':>9}"
              f"  {ours[1]}")
    print(f"relative error above {THRESHOLD}: guided {counts['guided']}, blind {counts['blind']} of "
          f"{len(names)}; of {counts['asked']} that mpmath has, {counts['true']} are errors of the function")


if __name__ == "__main__":
    main()
