"""Conjectures about floats, drawn at random: hypotheses and a conclusion without a counterexample
among some thousand points of binary16. Nearly all are theorems there and in wider formats; what
a solver finds to be false elsewhere is no error."""
import math
import random
import struct

INTERESTING = [
    0.0, -0.0, 1.0, -1.0, 0.5, 2.0, -2.0, 3.0, -3.0, 1.5, 0.75, 1.0009765625, 0.99951171875, 65504.0, -65504.0,
    60000.0, 2.0**-24, -(2.0**-24), 2.0**-14, 3 * 2.0**-24, 0.001, 100.0, -100.0, 2048.0, 2049.0, 2050.0, 4100.0,
    0.1, -0.1, 7.0, 1e4, 256.0, 255.875, 32768.0, 33000.0, math.inf, -math.inf, math.nan,
]
CONSTANTS = [0.0, 1.0, 2.0, 0.5, -1.0, 3.0, 0.25]
VARIABLES = "xyz"
POINTS = 6000


def half(value):
    """Rounded to binary16; sums and products of two are exact in Python's floats, quotients and roots
    close enough."""
    if math.isnan(value) or math.isinf(value):
        return value
    try:
        return struct.unpack("e", struct.pack("e", value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)


def quotient(a, b):
    if b == 0:
        return math.nan if a == 0 or math.isnan(a) else math.copysign(math.inf, a) * math.copysign(1, b)
    return a / b


def extremum(choose):
    return lambda a, b: b if math.isnan(a) else a if math.isnan(b) else choose(a, b)


def integral(rounding):
    return lambda a: a if math.isnan(a) or math.isinf(a) else float(rounding(a))


OPERATIONS = {
    "fp.add RNE": lambda a, b: a + b,
    "fp.sub RNE": lambda a, b: a - b,
    "fp.mul RNE": lambda a, b: a * b,
    "fp.div RNE": quotient,
    "fp.neg": lambda a: -a,
    "fp.abs": abs,
    "fp.sqrt RNE": lambda a: math.sqrt(a) if a >= 0 else math.nan,
    "fp.min": extremum(min),
    "fp.max": extremum(max),
    "fp.roundToIntegral RTP": integral(math.ceil),
    "fp.roundToIntegral RTN": integral(math.floor),
    "fp.roundToIntegral RTZ": integral(math.trunc),
}
RELATIONS = {
    "fp.leq": lambda a, b: a <= b,
    "fp.lt": lambda a, b: a < b,
    "fp.eq": lambda a, b: a == b,
}


def value(term, point):
    """The value of a term: a variable, a number, or an operation with its operands."""
    if isinstance(term, str):
        return point[term]
    if isinstance(term, float):
        return term
    return half(OPERATIONS[term[0]](*(value(operand, point) for operand in term[1:])))


def holds(statement, point):
    head, *terms = statement
    values = [value(term, point) for term in terms]
    if head == "number":
        return not math.isnan(values[0])
    if head == "finite":
        return math.isfinite(values[0])
    return RELATIONS[head](*values)


def variables(term):
    if isinstance(term, str):
        return {term}
    return set().union(*map(variables, term[1:])) if isinstance(term, tuple) else set()


def size(term):
    return 1 + sum(map(size, term[1:])) if isinstance(term, tuple) else 0


def written(term):
    if isinstance(term, str):
        return term
    if isinstance(term, float):
        return f"{{{term:g}}}"
    return f"({term[0]} {' '.join(map(written, term[1:]))})"


def stated(statement):
    head, *terms = statement
    if head == "number":
        return f"(not (fp.isNaN {written(terms[0])}))"
    if head == "finite":
        return f"(and (not (fp.isNaN {written(terms[0])})) (not (fp.isInfinite {written(terms[0])})))"
    return f"({head} {' '.join(map(written, terms))})"


class Miner:
    def __init__(self, seed):
        self.draw = random.Random(seed)
        extra = [half(struct.unpack("e", struct.pack("H", self.draw.randrange(1 << 16)))[0]) for _ in range(40)]
        numbers = INTERESTING + extra
        self.points = [{v: self.draw.choice(numbers) for v in VARIABLES} for _ in range(POINTS)]

    def term(self, depth):
        if depth == 0 or self.draw.random() < 0.15:
            return self.draw.choice([*VARIABLES, *VARIABLES, self.draw.choice(CONSTANTS)])
        kind = self.draw.random()
        if kind < 0.7:
            head = self.draw.choice(["fp.add RNE", "fp.sub RNE", "fp.mul RNE", "fp.div RNE"])
        else:
            head = self.draw.choice(list(OPERATIONS)[4:])
        operands = 2 if head in ("fp.min", "fp.max") or kind < 0.7 else 1
        return (head, *(self.term(depth - 1) for _ in range(operands)))

    def relation(self, first, second):
        return (self.draw.choice(["fp.leq", "fp.leq", "fp.lt", "fp.eq"]), self.term(first), self.term(second))

    def conjecture(self):
        """Hypotheses and a conclusion, or none if a point refutes it or too few test it."""
        conclusion = self.relation(self.draw.choice([2, 3]), self.draw.choice([1, 2, 3]))
        left, right = conclusion[1:]
        shared = variables(left) & variables(right)
        if size(left) + size(right) < 4 or not shared:
            return None
        named = variables(left) | variables(right)
        hypotheses = [("finite", v) for v in sorted(named)]
        for v in sorted(named):
            least = self.draw.choice([None, None, 0.0, 1.0])
            if least is not None:
                hypotheses.append(("fp.leq", least, v))
        for _ in range(self.draw.choice([0, 0, 1, 2])):
            relation = self.relation(self.draw.choice([0, 0, 1]), self.draw.choice([0, 0, 1]))
            if variables(relation) <= named:
                hypotheses.append(relation)
        hypotheses += [(self.draw.choice(["number", "finite"]), side) for side in (left, right)]
        tested = 0
        for at, point in enumerate(self.points):
            if all(holds(hypothesis, point) for hypothesis in hypotheses):
                tested += 1
                if not holds(conclusion, point):
                    return None
            if at == 400 and tested < 8:
                return None
        return hypotheses, conclusion


def mined(seed, count):
    """So many conjectures as templates: name, hypotheses, conclusion."""
    miner = Miner(seed)
    found = []
    while len(found) < count:
        conjecture = miner.conjecture()
        if conjecture is not None:
            hypotheses, conclusion = conjecture
            name = f"mined-{seed}-{len(found)}"
            found.append((name, " ".join(map(stated, hypotheses)), stated(conclusion)))
    return found
