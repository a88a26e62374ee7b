#!/usr/bin/env python3
"""Random queries of the kinds that users ask, by templates, beside Bitwuzla, Z3 and cvc5.

usage: bench/smt/unseen.py [--seed N] [--count N] [--limit S] [--peers LIST] [--nanoscope PROGRAM]
                           [--python PYTHON] [--folder FOLDER]

Path conditions of numerical C, bytes of KLEE's, conversions, remainders, fused sums, all rounding modes and
symbolic ones, mixed formats, constants from reals, arrays of floats, uninterpreted functions, kernels, polynomials,
unrolled loops, bits of floats, incremental scripts, binary128: COUNT (13) queries of each of 17 templates. Each solver
has LIMIT seconds (5) of processor time a query; `fp.to_real` and uninterpreted functions are asked of those that
have them. Printed are disagreements, what was not decided, and solved and PAR-2 of each; the exit code is 1 if two
answers differ. PYTHON has the peers' packages. Answers are kept in FOLDER, so that a run goes on."""

import argparse
import collections
import json
import os
import pathlib
import random
import resource
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
D = random.Random()
FORMATS = {"h": (5, 11), "s": (8, 24), "d": (11, 53), "q": (15, 113)}


def sort(f):
    return f"(_ FloatingPoint {FORMATS[f][0]} {FORMATS[f][1]})"


RMS = ["RNE", "RNA", "RTP", "RTN", "RTZ"]


def dec():
    k = D.randrange(6)
    if k == 0:
        return str(D.randrange(-20, 21)) + ".0"
    if k == 1:
        return f"{D.uniform(-2, 2):.3f}"
    if k == 2:
        return f"{D.uniform(0, 1000):.2f}"
    if k == 3:
        return "0.1"
    if k == 4:
        return f"{D.choice([1e-3,1e-6,1e3,1e6]):.6f}"
    return f"{D.uniform(-100,100):.1f}"


def const(f, s=None, rm="RNE"):
    s = s or dec()
    c = f"((_ to_fp {FORMATS[f][0]} {FORMATS[f][1]}) {rm} {s.lstrip(chr(45))})"
    return f"(fp.neg {c})" if s[0] == "-" else c


def cast(f, t, rm="RNE"):
    return f"((_ to_fp {FORMATS[f][0]} {FORMATS[f][1]}) {rm} {t})"


def decl(n, s):
    return f"(declare-const {n} {s})"


T = {}


def template(f):
    T[f.__name__] = f
    return f


def expr(f, names, depth, rm="RNE", ops="+-*/"):
    if depth == 0 or D.random() < 0.15:
        return D.choice(names) if D.random() < 0.7 else const(f)
    op = D.choice(ops)
    a = expr(f, names, depth - 1, rm, ops)
    if op == "r":
        return f"(fp.sqrt {rm} {a})"
    if op == "a":
        return f"(fp.abs {a})"
    if op == "n":
        return f"(fp.neg {a})"
    b = expr(f, names, depth - 1, rm, ops)
    if op == "f":
        return f"(fp.fma {rm} {a} {b} {expr(f, names, depth-1, rm, ops)})"
    if op == "%":
        return f"(fp.rem {a} {b})"
    if op == "m":
        return f"(fp.{D.choice(['min','max'])} {a} {b})"
    return "(fp.%s %s %s %s)" % ({"+": "add", "-": "sub", "*": "mul", "/": "div"}[op], rm, a, b)


def cmp(a, b):
    return f"(fp.{D.choice(['lt','leq','gt','geq','eq','lt','gt'])} {a} {b})"


def box(f, n, lo, hi):
    return f"(assert (and (fp.leq {const(f,lo)} {n}) (fp.leq {n} {const(f,hi)})))"


@template
def path_condition():
    "straight-line C code with branches"
    f = D.choice("sdd")
    names = ["x", "y", "z"][: D.randrange(1, 4)]
    L = ["(set-logic QF_FP)"] + [decl(n, sort(f)) for n in names]
    for n in names:
        if D.random() < 0.6:
            L.append(box(f, n, f"{D.uniform(-100,0):.2f}", f"{D.uniform(1,100):.2f}"))
    vals = list(names)
    for i in range(D.randrange(2, 6)):
        L.append(f"(define-fun t{i} () {sort(f)} {expr(f, vals, 2)})")
        vals.append(f"t{i}")
        c = cmp(f"t{i}", D.choice(vals[:-1]) if D.random() < 0.4 else const(f))
        if D.random() < 0.4:
            c = f"(not {c})"
        L.append(f"(assert {c})")
    return L


@template
def klee_bytes():
    "KLEE: byte arrays, concatenated, reinterpreted"
    f = D.choice("sd")
    n = sum(FORMATS[f]) // 8
    L = ["(set-logic QF_ABVFP)"]

    def load(a, o):
        s = f"(select {a} (_ bv{o} 32))"
        for i in range(1, n):
            s = f"(concat (select {a} (_ bv{o+i} 32)) {s})"
        return f"((_ to_fp {FORMATS[f][0]} {FORMATS[f][1]}) {s})"

    L.append("(declare-fun a () (Array (_ BitVec 32) (_ BitVec 8)))")
    vals = [f"v{i}" for i in range(D.randrange(1, 4))]
    for i, v in enumerate(vals):
        L.append(f"(define-fun {v} () {sort(f)} {load('a', i*n)})")
    for i in range(D.randrange(2, 5)):
        e = expr(f, vals, D.randrange(0, 3))
        c = D.choice(
            [
                cmp(e, const(f)),
                f"(fp.is{D.choice(['NaN','Infinite','Normal','Subnormal','Zero','Negative','Positive'])} {e})",
                cmp(e, expr(f, vals, 1)),
            ]
        )
        if D.random() < 0.5:
            c = f"(not {c})"
        L.append(f"(assert {c})")
    i = D.randrange(n * len(vals))
    L.append(f"(assert (bv{D.choice(['ult','ugt','slt','sge'])} (select a (_ bv{i} 32)) (_ bv{D.randrange(256)} 8)))")
    return L


@template
def conversions():
    f = D.choice("hsd")
    g = D.choice([k for k in "hsd" if k != f])
    w = D.choice([8, 16, 32, 64])
    rm = D.choice(RMS)
    sg = D.choice(["sbv", "ubv"])
    L = ["(set-logic QF_BVFP)", decl("x", sort(f)), decl("b", f"(_ BitVec {w})")]
    to = "to_fp" if sg == "sbv" else "to_fp_unsigned"
    back = f"((_ {to} {FORMATS[f][0]} {FORMATS[f][1]}) {D.choice(RMS)} ((_ fp.to_{sg} {w}) {rm} x))"
    k = D.randrange(5)
    lim = const(f, "0.0"), const(f, str(D.choice([50, 100, 30000])) + ".0")
    L.append(f"(assert (and (fp.leq {lim[0]} x) (fp.leq x {lim[1]})))")
    if k == 0:
        L.append(f"(assert (not (fp.eq {back} (fp.roundToIntegral {rm} x))))")
    if k == 1:
        L.append(
            f"(assert (= ((_ fp.to_{sg} {w}) {rm} (fp.mul RNE x {const(f)})) b)) (assert (= (bvand b (_ bv7 {w})) (_ bv{D.randrange(8)} {w})))"
        )
    if k == 2:
        L.append(f"(assert (not (fp.eq x {cast(f, cast(g,'x',rm), rm)})))")
    if k == 3:
        L.append(f"(assert (fp.eq ((_ {to} {FORMATS[f][0]} {FORMATS[f][1]}) {rm} b) (fp.add RNE x {const(f,'0.5')})))")
    if k == 4:
        L.append(
            f"(assert (let ((y ((_ {to} {FORMATS[f][0]} {FORMATS[f][1]}) {rm} b))) (and (not (= ((_ fp.to_{sg} {w}) RTZ y) b)) (fp.lt y {lim[1]}))))"
        )
    return L


@template
def remainder():
    f = D.choice("hhsd")
    L = ["(set-logic QF_FP)", decl("x", sort(f)), decl("y", sort(f))]
    c = const(f, D.choice(["2.0", "0.1", "6.2831853", "360.0", "1.0"]))
    k = D.randrange(4)
    if k == 0:
        L += [
            box(f, "x", "-10.0", "1000.0"),
            f"(assert (fp.gt (fp.abs (fp.rem x {c})) (fp.div RNE {c} {const(f,'2.0')})))",
        ]
    if k == 1:
        L += [box(f, "x", "0.0", "100.0"), f"(assert (fp.eq (fp.rem x {c}) y)) (assert (fp.lt {const(f,'0.01')} y))"]
    if k == 2:
        L += [
            f"(assert (and (fp.gt x {const(f,'0.0')}) (fp.gt y x) (fp.gt (fp.sub RNE y x) x) (not (fp.isInfinite y)) (not (fp.eq (fp.rem x y) x))))"
        ]
    if k == 3:
        L += [
            box(f, "x", "1.0", "50.0"),
            box(f, "y", "1.0", "5.0"),
            f"(assert (fp.isNegative (fp.rem x y))) (assert (fp.lt (fp.rem x y) {const(f,'-0.25')}))",
        ]
    return L


@template
def fused():
    f = D.choice("hsd")
    rm = D.choice(RMS)
    L = ["(set-logic QF_FP)"] + [decl(n, sort(f)) for n in "xyz"]
    for n in "xyz":
        L.append(box(f, n, D.choice(["0.0", "-10.0", "1.0"]), D.choice(["2.0", "100.0"])))
    k = D.randrange(4)
    fma = f"(fp.fma {rm} x y z)"
    sep = f"(fp.add {rm} (fp.mul {rm} x y) z)"
    if k == 0:
        L.append(f"(assert (not (fp.eq {fma} {sep})))")
    if k == 1:
        L.append(f"(assert (and (fp.lt {fma} z) (fp.gt (fp.mul {rm} x y) {const(f,'0.0')})))")
    if k == 2:
        L.append(
            f"(assert (fp.eq (fp.fma {rm} x y (fp.neg (fp.mul {rm} x y))) {const(f,'0.0')})) (assert (fp.gt x {const(f,'1.5')}))(assert (fp.gt y {const(f,'1.5')}))"
        )
    if k == 3:
        L.append(f"(assert (fp.gt (fp.abs (fp.sub RNE {fma} {sep})) (fp.abs (fp.mul RNE {fma} {const(f,'0.01')}))))")
    return L


@template
def modes():
    "every rounding mode, symbolic ones too"
    f = D.choice("hsd")
    L = [
        "(set-logic QF_FP)",
        decl("x", sort(f)),
        decl("y", sort(f)),
        "(declare-const r RoundingMode)",
        "(declare-const s RoundingMode)",
    ]
    op = D.choice(["add", "sub", "mul", "div"])
    e = lambda r: f"(fp.{op} {r} x y)"
    for n in "xy":
        if D.random() < 0.7:
            L.append(box(f, n, "1.0", D.choice(["4.0", "1000.0"])))
    k = D.randrange(5)
    if k == 0:
        L.append(f"(assert (fp.lt {e('r')} {e('RTN')}))")
    if k == 1:
        L.append(
            f"(assert (and (not (fp.eq {e('r')} {e('s')})) (fp.eq {e('s')} {e('RNE')}) (not (= r RTP)) (not (= r RTN))))"
        )
    if k == 2:
        L.append(f"(assert (fp.gt {e('RTZ')} {e('RTP')}))")
    if k == 3:
        L.append(f"(assert (fp.gt (fp.sub RTP {e('RTP')} {e('RTN')}) (fp.mul RNE {e('RNE')} {const(f,'0.0001')})))")
    if k == 4:
        L.append(
            f"(assert (= (fp.roundToIntegral r x) (fp.add RNE (fp.roundToIntegral s x) {const(f,'1.0')}))) (assert (= r RNA))"
        )
    return L


@template
def mixed_formats():
    L = ["(set-logic QF_FP)", decl("x", sort("s")), decl("y", sort("s")), decl("d", sort("d"))]
    for n in "xy":
        L.append(box("s", n, "-100.0", "100.0"))
    op = D.choice(["add", "sub", "mul", "div"])
    rm = "RNE"
    wide = f"(fp.{op} RNE {cast('d','x')} {cast('d','y')})"
    k = D.randrange(4)
    if k == 0:
        L.append(f"(assert (not (= {cast('s', wide)} (fp.{op} RNE x y))))")
    if k == 1:
        L.append(
            f"(assert (fp.gt (fp.abs (fp.sub RNE {wide} {cast('d', f'(fp.{op} RNE x y)')})) {const('d', D.choice(['0.001','0.0000001','0.00001']))}))(assert (fp.gt (fp.abs y) {const('s','0.5')}))"
        )
    if k == 2:
        L.append(
            f"(assert (= d (fp.mul RNE {wide} {const('d')})))(assert (fp.eq {cast('d',cast('s','d'))} d))(assert (fp.gt d {const('d','1.0')}))"
        )
    if k == 3:
        L.append(
            f"(assert (fp.lt (fp.sqrt RNE (fp.add RNE (fp.mul RNE {cast('d','x')} {cast('d','x')}) (fp.mul RNE {cast('d','y')} {cast('d','y')}))) (fp.abs {cast('d','x')})))"
        )
    return L


@template
def from_reals():
    "constants as reals and fractions, comparisons with fp.to_real"
    f = D.choice("sd")
    L = ["(set-logic ALL)", decl("x", sort(f))]
    q = f"(/ {D.randrange(1,100)} {D.randrange(1,100)})"
    rm = D.choice(RMS)
    L.append(f"(define-fun c () {sort(f)} ((_ to_fp {FORMATS[f][0]} {FORMATS[f][1]}) {rm} {q}))")
    k = D.randrange(3)
    if k == 0:
        L.append(f"(assert (and (fp.lt c x) (fp.lt x (fp.mul RTP c {const(f,'1.0000002')}))))")
    if k == 1:
        L.append(f"(assert (and (not (fp.isNaN x)) (not (fp.isInfinite x)) (< (fp.to_real x) {q}) (fp.geq x c)))")
    if k == 2:
        L.append(f"(assert (and (fp.eq (fp.mul RNE x x) c)))")
    return L


@template
def float_arrays():
    f = D.choice("sd")
    L = [
        "(set-logic QF_ABVFP)",
        f"(declare-const a (Array (_ BitVec 32) {sort(f)}))",
        "(declare-const i (_ BitVec 32))",
        "(declare-const j (_ BitVec 32))",
        decl("x", sort(f)),
    ]
    L.append("(assert (and (bvult i (_ bv4 32)) (bvult j (_ bv4 32))))")
    L.append(f"(define-fun b () (Array (_ BitVec 32) {sort(f)}) (store a i (fp.add RNE (select a i) x)))")
    k = D.randrange(4)
    if k == 0:
        L.append("(assert (not (= i j))) (assert (not (= (select b j) (select a j))))")
    if k == 1:
        L.append(f"(assert (fp.lt (select b i) (select a i))) (assert (fp.gt x {const(f,'0.0')}))")
    if k == 2:
        L.append(
            f"(assert (fp.gt (fp.add RNE (select b i) (select b j)) {const(f)})) (assert (fp.lt (select a (_ bv0 32)) (select b (_ bv0 32)))) (assert (fp.isSubnormal x))"
        )
    if k == 3:
        L.append(
            f"(assert (and (fp.leq (select a (_ bv0 32)) (select a (_ bv1 32))) (fp.leq (select a (_ bv1 32)) (select a (_ bv2 32))) (fp.gt (select a (_ bv0 32)) (select b (_ bv2 32))) (= i (_ bv{D.randrange(4)} 32)) (fp.geq x {const(f,'0.0')})))"
        )
    return L


@template
def uninterpreted():
    f = D.choice("sd")
    S = sort(f)
    L = [
        "(set-logic QF_UFFP)",
        f"(declare-fun g ({S}) {S})",
        f"(declare-fun h ({S} {S}) {S})",
        f"(declare-fun p ({S}) Bool)",
    ] + [decl(n, S) for n in "xyz"]
    k = D.randrange(4)
    if k == 0:
        L.append(f"(assert (and (fp.eq x y) (not (fp.eq (g x) (g y))) (not (fp.isNaN (g x)))))")
    if k == 1:
        L.append(f"(assert (and (fp.eq x y) (not (fp.isZero x)) (not (= (g x) (g y)))))")
    if k == 2:
        L.append(
            f"(assert (= (g (fp.add RNE x y)) (fp.add RNE (g x) (g y)))) (assert (fp.gt (g x) {const(f,'1.0')})) (assert (fp.gt (g (fp.add RNE y x)) (fp.mul RNE (g x) {const(f,'3.0')})))"
        )
    if k == 3:
        L.append(
            f"(assert (and (p x) (not (p y)) (= (h x y) (fp.sub RNE x y)) (fp.isZero (h x y)) (not (fp.isZero x))))"
        )
    return L


@template
def numerics():
    "what people ask of numerical kernels"
    f = D.choice("hsd")
    S = sort(f)
    L = ["(set-logic QF_FP)"] + [decl(n, S) for n in "xyzab"]
    k = D.randrange(12)
    z = const(f, "0.0")
    one = const(f, "1.0")
    two = const(f, "2.0")
    half = const(f, "0.5")
    add = lambda a, b, r="RNE": f"(fp.add {r} {a} {b})"
    sub = lambda a, b, r="RNE": f"(fp.sub {r} {a} {b})"
    mul = lambda a, b, r="RNE": f"(fp.mul {r} {a} {b})"
    div = lambda a, b, r="RNE": f"(fp.div {r} {a} {b})"
    if k == 0:
        L.append(
            f"(assert (and (fp.leq {div('y',two)} x) (fp.leq x {mul('y',two)}) (fp.gt y {one}) (not (fp.isInfinite y)) (not (fp.eq {add(sub('x','y'),'y')} x))))"
        )  # Sterbenz
    if k == 1:  # 2Sum
        L += [box(f, n, "-100.0", "100.0") for n in "xy"]
        L.append(
            f"(define-fun s () {S} {add('x','y')})(define-fun bb () {S} {sub('s','x')})(define-fun e () {S} {add(sub('x',sub('s','bb')),sub('y','bb'))})(assert (not (fp.eq {add('s','e')} s)))"
        )
    if k == 2:
        L.append(
            box(f, "x", "0.0", "1.0")
            + box(f, "a", "-50.0", "50.0")
            + box(f, "b", "-50.0", "50.0")
            + f"(assert (fp.leq a b))(assert (fp.lt {add('a',mul('x',sub('b','a')))} a))"
        )
    if k == 3:
        L.append(
            box(f, "x", "0.0", "1.0")
            + box(f, "a", "-50.0", "50.0")
            + box(f, "b", "-50.0", "50.0")
            + f"(assert (fp.leq a b))(assert (fp.gt {add('a',mul('x',sub('b','a')))} b))"
        )
    if k == 4:
        L.append(
            box(f, "x", "-10.0", "10.0")
            + box(f, "y", "-10.0", "10.0")
            + f"(assert (fp.lt (fp.sqrt RNE {add(mul('x','x'),mul('y','y'))}) (fp.abs x)))"
        )
    if k == 5:
        L.append(
            box(f, "b", "-10.0", "10.0")
            + box(f, "a", "0.5", "10.0")
            + box(f, "x", "-10.0", "10.0")
            + f"(assert (and (fp.geq {sub(mul('b','b'),mul(const(f,'4.0'),mul('a','x')))} {z}) (fp.isNaN (fp.sqrt RNE {sub(mul('b','b'),mul(const(f,'4.0'),mul('a','x')))}))))"
        )
    if k == 6:
        L.append(
            box(f, "x", "1.0", "100.0")
            + box(f, "y", "1.0", "100.0")
            + f"(assert (fp.gt {div('x',add('x','y'))} {one}))"
        )
    if k == 7:
        L.append(
            box(f, "x", "1.0", "100.0")
            + box(f, "y", "1.0", "100.0")
            + f"(assert (not (fp.eq {mul(div('x','y'),'y')} x)))"
        )
    if k == 8:
        L.append(f"(assert (and (fp.leq x y) (fp.leq a b) (fp.gt {add('x','a','RTN')} {add('y','b','RTP')})))")
    if k == 9:
        L.append(box(f, "x", "-1.0", "1.0") + f"(assert (fp.gt {add(one,mul('x','x'))} {add(one,'(fp.abs x)')}))")
    if k == 10:
        L.append(
            box(f, "x", "0.0", "10.0")
            + f"(assert (fp.gt (fp.abs {sub(mul('(fp.sqrt RNE x)','(fp.sqrt RNE x)'),'x')}) {mul('x',const(f,'0.01'))}))(assert (fp.gt x {const(f,'0.001')}))"
        )
    if k == 11:
        L.append(
            "".join(box(f, n, "0.0", "10.0") for n in "xyz")
            + f"(assert (not (fp.eq {add(add('x','y'),'z')} {add('x',add('y','z'))})))(assert (fp.gt (fp.abs {sub(add(add('x','y'),'z'), add('x',add('y','z')))}) {const(f,D.choice(['0.000001','0.0','0.01']))}))"
        )
    return L


@template
def polynomial():
    f = D.choice("sd")
    n = D.randrange(2, 6)
    L = ["(set-logic QF_FP)", decl("x", sort(f)), box(f, "x", f"{D.uniform(-4,0):.2f}", f"{D.uniform(0.1,4):.2f}")]
    p = const(f)
    for _ in range(n):
        p = f"(fp.add RNE (fp.mul RNE {p} x) {const(f)})"
    L.append(f"(define-fun p () {sort(f)} {p})")
    L.append(
        D.choice(
            [
                f"(assert (fp.eq p {const(f)}))",
                f"(assert (fp.lt (fp.abs p) {const(f,'0.0001')}))",
                f"(assert (fp.gt p {const(f,'1000000.0')}))",
                f"(assert (and (fp.lt p {const(f)}) (fp.gt (fp.mul RNE p p) {const(f)})))",
            ]
        )
    )
    return L


@template
def loop():
    "an unrolled loop"
    f = D.choice("sd")
    n = D.randrange(3, 12)
    L = [
        "(set-logic QF_FP)",
        decl("x", sort(f)),
        decl("c", sort(f)),
        box(f, "x", "0.5", "10.0"),
        box(f, "c", "-1.0", "1.0"),
    ]
    v = "x"
    k = D.randrange(3)
    for i in range(n):
        e = [
            f"(fp.add RNE (fp.mul RNE {v} {const(f,'0.9')}) c)",
            f"(fp.mul RNE {const(f,'0.5')} (fp.add RNE {v} (fp.div RNE x {v})))",
            f"(ite (fp.gt {v} {const(f,'1.0')}) (fp.div RNE {v} {const(f,'2.0')}) (fp.add RNE {v} c))",
        ][k]
        L.append(f"(define-fun v{i} () {sort(f)} {e})")
        v = f"v{i}"
    L.append(
        f"(assert {D.choice([cmp(v, const(f)), f'(fp.gt {v} '+const(f,'100.0')+')', f'(fp.lt (fp.abs (fp.sub RNE (fp.mul RNE {v} {v}) x)) '+const(f,'0.00001')+')'])})"
    )
    return L


@template
def bits_of_floats():
    f = D.choice("sd")
    w = sum(FORMATS[f])
    e, m = FORMATS[f]
    L = [
        "(set-logic QF_BVFP)",
        f"(declare-const b (_ BitVec {w}))",
        f"(define-fun x () {sort(f)} ((_ to_fp {e} {m}) b))",
    ]
    k = D.randrange(5)
    if k == 0:
        L.append(
            f"(assert (and (not (= ((_ extract {w-2} {m-1}) b) (bvnot (_ bv0 {e})))) (not (fp.eq ((_ to_fp {e} {m}) (bvand b (concat #b0 (bvnot (_ bv0 {w-1}))))) (fp.abs x)))))"
        )
    if k == 1:
        L.append(
            f"(declare-const c (_ BitVec {w}))(define-fun y () {sort(f)} ((_ to_fp {e} {m}) c))(assert (and (bvslt b c) (bvsgt b (_ bv0 {w})) (not (fp.isNaN x)) (not (fp.isNaN y)) (not (fp.lt x y))))"
        )
    if k == 2:
        L.append(
            f"(define-fun y () {sort(f)} ((_ to_fp {e} {m}) (bvadd b (_ bv1 {w}))))(assert (and (fp.gt x {const(f,'1.0')}) (fp.lt x {const(f,'2.0')}) (fp.gt (fp.sub RNE y x) {const(f,'0.0001')})))"
        )
    if k == 3:
        L.append(
            f"(assert (= (bvlshr b (_ bv{m-1} {w})) (_ bv{D.randrange(1,2**e)} {w})))(assert {cmp('(fp.mul RNE x '+const(f)+')', const(f))})"
        )
    if k == 4:  # fast inverse square root
        L[0] = "(set-logic QF_BVFP)"
        f = "s"
        L = [
            L[0],
            "(declare-const b (_ BitVec 32))",
            "(define-fun x () Float32 ((_ to_fp 8 24) b))",
            box("s", "x", "0.5", "4.0"),
            "(define-fun y () Float32 ((_ to_fp 8 24) (bvsub #x5f3759df (bvlshr b #x00000001))))",
            f"(define-fun r () Float32 (fp.mul RNE (fp.mul RNE y y) x))",
            f"(assert (fp.{D.choice(['gt','lt'])} r {const('s',D.choice(['1.1','0.9','1.05','0.99','1.2']))}))",
        ]
    return L


@template
def commands():
    "incremental use: push, pop, assumptions, several answers"
    f = D.choice("sd")
    L = [
        "(set-logic QF_FP)",
        "(set-option :produce-models true)",
        decl("x", sort(f)),
        decl("y", sort(f)),
        "(declare-const p Bool)",
        "(declare-const q Bool)",
    ]
    L.append(box(f, "x", "-10.0", "10.0"))
    L.append(f"(assert (=> p {cmp(expr(f,['x','y'],2), const(f))}))")
    L.append(f"(assert (=> q {cmp(expr(f,['x','y'],2), const(f))}))")
    L += [
        "(check-sat)",
        "(push 1)",
        f"(assert {cmp(expr(f,['x','y'],1),const(f))})",
        "(check-sat-assuming (p))",
        "(check-sat-assuming (p q))",
        "(pop 1)",
        "(assert q)",
        "(check-sat)",
        "(check-sat-assuming ((not p)))",
    ]
    return L


@template
def quad():
    f = "q"
    L = [
        "(set-logic QF_FP)",
        decl("x", sort(f)),
        decl("y", sort(f)),
        box(f, "x", "0.0", "10.0"),
        box(f, "y", "1.0", "10.0"),
    ]
    L.append(f"(assert {cmp(expr(f,['x','y'],2,D.choice(RMS)), expr(f,['x','y'],1))})")
    return L


@template
def everything():
    f = D.choice("hsd")
    L = ["(set-logic QF_FP)"] + [decl(n, sort(f)) for n in "xyz"]
    for n in "xyz":
        if D.random() < 0.5:
            L.append(box(f, n, f"{D.uniform(-10,0):.1f}", f"{D.uniform(0,20):.1f}"))
    for _ in range(D.randrange(1, 4)):
        L.append(f"(assert {cmp(expr(f,list('xyz'),3,D.choice(RMS),'++--**/rafm'), expr(f,list('xyz'),1))})")
    return L


PEER = """
import sys
which, path = sys.argv[1:]
if which == "bitwuzla":
    from bitwuzla import Options, Parser, TermManager
    Parser(TermManager(), Options()).parse(path)
elif which == "z3":
    import z3
    z3.set_param("verbose", 0)
    print(z3.Z3_eval_smtlib2_string(z3.main_ctx().ref(), open(path).read()))
else:
    import cvc5
    solver = cvc5.Solver(cvc5.TermManager())
    solver.setOption("fp-exp", "true")
    solver.setOption("incremental", "true")
    parser = cvc5.InputParser(solver)
    parser.setFileInput(cvc5.InputLanguage.SMT_LIB_2_6, path)
    while not (command := parser.nextCommand()).isNull():
        print(command.invoke(solver, parser.getSymbolManager()), end="")
"""


def write(folder, count):
    """The scripts."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, make in T.items():
        for number in range(count):
            lines = make()
            if not any("check-sat" in line for line in lines):
                lines.append("(check-sat)")
            (folder / f"{name}-{number:02}.smt2").write_text("\n".join(lines) + "\n")


def ask(command, limit):
    """The answers, and processor seconds; no answers if it did not come to its end."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    bound = lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1))
    ran = subprocess.run(command, capture_output=True, text=True, preexec_fn=bound)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    answers = [line.strip() for line in ran.stdout.splitlines() if line.strip() in ("sat", "unsat", "unknown")]
    return [answers if ran.returncode == 0 and "unknown" not in answers else [], round(seconds, 3)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=13)
    parser.add_argument("--limit", type=int, default=5)
    parser.add_argument("--peers", default="bitwuzla,z3,cvc5")
    parser.add_argument("--nanoscope", default=str(TARGET / "release/nanoscope"))
    parser.add_argument("--python", default=str(TARGET / "bench-smt/venv/bin/python"))
    parser.add_argument("--folder", type=pathlib.Path)
    options = parser.parse_args()
    folder = options.folder or TARGET / f"bench-smt/unseen-{options.seed}"
    D.seed(options.seed)
    write(folder, options.count)
    kept = folder / "answers.json"
    known = json.loads(kept.read_text()) if kept.exists() else {}
    peers = [peer for peer in options.peers.split(",") if peer]
    solved, par2, wrong = collections.Counter(), collections.Counter(), 0
    files = sorted(folder.glob("*.smt2"))
    for file in files:
        answers = {}
        for who in ["nanoscope", *peers]:
            # Far more on the clock than by the processor: the machine may be busy.
            ours = [options.nanoscope, "solve", "--time-limit", str(20 * options.limit), str(file)]
            command = ours if who == "nanoscope" else [options.python, "-c", PEER, who, str(file)]
            key = f"{file.stem} {who} {options.limit}"
            if key not in known:
                known[key] = ask(command, options.limit)
                kept.write_text(json.dumps(known))
            found, seconds = known[key]
            if found:
                answers[who] = found
            solved[who] += bool(found)
            par2[who] += seconds if found else 2 * options.limit
        if len({tuple(found) for found in answers.values()}) > 1:
            wrong += 1
            print(f"{file}: {answers}")
        elif "nanoscope" not in answers:
            print(f"{file}: not decided; by others: {', '.join(answers) or 'none'}")
    print(f"{len(files)} queries, {options.limit} processor seconds each")
    for who in ["nanoscope", *peers]:
        print(f"  {who:10} {solved[who]:4} solved, PAR-2 {par2[who]:8.1f}")
    sys.exit(1 if wrong else 0)


main()
