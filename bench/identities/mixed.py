"""Identities and orders that mix operations: remainders, fused sums, roundings to integral
values, min and max, conversions between formats and from integers, interval arithmetic.

As in run.py: a name, hypotheses, a conclusion; {f} is the format, {1.5} a number of it. `h` and
`k` are half floats, `i` and `j` bit vectors of 32."""


def numbers(*names):
    """That these are no NaNs."""
    return " ".join(f"(not (fp.isNaN {name}))" for name in names)


def finite(*names):
    """That these are finite."""
    return " ".join(f"(not (fp.isNaN {name})) (not (fp.isInfinite {name}))" for name in names)


MIXED = [
    ("zero-c", finite("x"), "(fp.eq (fp.add RNE (fp.add RNE {0} x) {3}) (fp.add RNE x {3}))"),
    ("c-minus", finite("x"), "(fp.eq (fp.sub RNE {3} (fp.sub RNE {0} x)) (fp.add RNE {3} x))"),
    ("c-minus-bits", finite("x"), "(= (fp.sub RNE {3} (fp.sub RNE {0} x)) (fp.add RNE {3} x))"),
    ("zero-c-rm", finite("x"), "(fp.eq (fp.add m (fp.add m {0} x) {3}) (fp.add m x {3}))"),
    ("fmod", "(fp.lt {0} x) (fp.lt x y) "+finite("y"), "(= (ieee.fmod x y) x)"),
    ("fmod-le", "(fp.leq {0} x) (fp.lt {0} y) "+finite("x","y"), "(and (fp.leq {0} (ieee.fmod x y)) (fp.lt (ieee.fmod x y) y))"),
    ("rem-small", "(fp.lt {0} x) (fp.lt (fp.mul RNE {2} x) y) "+finite("y"), "(= (fp.rem x y) x)"),
    ("rem-half", "(fp.lt {0} y) "+finite("x","y"), "(fp.leq (fp.abs (fp.rem x y)) y)"),
    ("rem-half2", "(fp.lt {1} y) "+finite("x","y"), "(fp.leq (fp.mul RNE {2} (fp.abs (fp.rem x y))) y)"),
    ("rem-self", finite("x")+" (not (fp.isZero x))", "(fp.isZero (fp.rem x x))"),
    ("fmod-idem", "(fp.lt {0} y) "+finite("x","y"), "(= (ieee.fmod (ieee.fmod x y) y) (ieee.fmod x y))"),
    ("fmod-one", "(fp.leq {0} x) (fp.leq x {100})", "(fp.lt (ieee.fmod x {1}) {1})"),
    ("sort3", numbers("x","y","z"), "(fp.leq (fp.min x (fp.min y z)) (fp.max (fp.max z x) y))"),
    ("sort-sum", finite("x","y","z")+" (fp.leq x y) (fp.leq y z)", "(fp.leq (fp.add RNE x y) (fp.add RNE y z))"),
    ("sort-sum2", finite("x","y","z","w")+" (fp.leq x y) (fp.leq z w)", "(fp.leq (fp.add RNE (fp.add RNE x z) y) (fp.add RNE (fp.add RNE y w) y))"),
    ("sort-sum3", finite("x","y","z")+" (fp.lt (fp.add RNE x y) (fp.add RNE x z))", "(fp.lt y z)"),
    ("sort-mul3", finite("x","y","z")+" (fp.lt {0} x) (fp.lt (fp.mul RNE x y) (fp.mul RNE x z))", "(fp.lt y z)"),
    ("interval-add", finite("x","y","z","w")+" (fp.leq x y) (fp.leq z w)", "(fp.leq (fp.add RTN x z) (fp.add RTP y w))"),
    ("interval-sub", finite("x","y","z","w")+" (fp.leq x y) (fp.leq z w)", "(fp.leq (fp.sub RTN x w) (fp.sub RTP y z))"),
    ("interval-mid", finite("x","y","z","w")+" (fp.leq x z) (fp.leq z y)", "(and (fp.leq (fp.add RTN x w) (fp.add RNE z w)) (fp.leq (fp.add RNE z w) (fp.add RTP y w)))"),
    ("interval-div", finite("x","y","z","w")+" (fp.leq {0} x) (fp.leq x y) (fp.lt {0} z) (fp.leq z w)", "(fp.leq (fp.div RTN x w) (fp.div RTP y z))"),
    ("interval-sqrt", "(fp.leq {0} x) (fp.leq x y)", "(and (fp.leq (fp.sqrt RTN x) (fp.sqrt RNE y)) (fp.leq (fp.sqrt RNE x) (fp.sqrt RTP y)))"),
    ("interval-mul4", finite("x","y","z","w")+" (fp.leq x y) (fp.leq z w)", "(fp.leq (fp.min (fp.min (fp.mul RTN x z) (fp.mul RTN x w)) (fp.min (fp.mul RTN y z) (fp.mul RTN y w))) (fp.max (fp.max (fp.mul RTP x z) (fp.mul RTP x w)) (fp.max (fp.mul RTP y z) (fp.mul RTP y w))))"),
    ("sqrt-updown", "(fp.leq {0} x) (not (fp.isInfinite x))", "(let ((d (fp.sqrt RTN x)) (u (fp.sqrt RTP x))) (and (fp.leq (fp.mul RTN d d) x) (fp.leq x (fp.mul RTP u u))))"),
    ("fma-mul", finite("x","y"), "(fp.eq (fp.fma RNE x y {0}) (fp.mul RNE x y))"),
    ("fma-add", finite("x","y"), "(fp.eq (fp.fma RNE x {1} y) (fp.add RNE x y))"),
    ("fma-add-rm", finite("x","y"), "(fp.eq (fp.fma m {1} x y) (fp.add m y x))"),
    ("fma-neg", "", "(= (fp.fma RNE (fp.neg x) (fp.neg y) z) (fp.fma RNE y x z))"),
    ("fma-neg-all", finite("x","y","z"), "(fp.eq (fp.neg (fp.fma RNE x y z)) (fp.fma RNE (fp.neg x) y (fp.neg z)))"),
    ("fma-mono-z", finite("x","y","z","w")+" (fp.leq z w)", "(fp.leq (fp.fma RTP x y z) (fp.fma RTP y x w))"),
    ("rti-mono", "(fp.leq x y)", "(fp.leq (fp.roundToIntegral RTZ x) (fp.roundToIntegral RTZ y))"),
    ("rti-floor-ceil", finite("x"), "(fp.leq (fp.sub RNE (fp.roundToIntegral RTP x) (fp.roundToIntegral RTN x)) {1})"),
    ("rti-idem", "", "(= (fp.roundToIntegral RNE (fp.roundToIntegral RTP x)) (fp.roundToIntegral RTP x))"),
    ("rti-near", finite("x"), "(fp.leq (fp.abs (fp.sub RNE x (fp.roundToIntegral RNE x))) {0.5})"),
    ("rti-trunc-abs", numbers("x"), "(fp.leq (fp.abs (fp.roundToIntegral RTZ x)) (fp.abs x))"),
    ("rti-neg", "", "(= (fp.roundToIntegral RTZ (fp.neg x)) (fp.neg (fp.roundToIntegral RTZ x)))"),
    ("minmax-neg", numbers("x","y"), "(fp.eq (fp.neg (fp.min x y)) (fp.max (fp.neg x) (fp.neg y)))"),
    ("minmax-mono", numbers("x","y","z")+" (fp.leq x y)", "(fp.leq (fp.min x z) (fp.min y z))"),
    ("minmax-absorb", numbers("x","y"), "(fp.eq (fp.max x (fp.min x y)) x)"),
    ("minmax-distr", numbers("x","y","z"), "(fp.eq (fp.min x (fp.max y z)) (fp.max (fp.min x y) (fp.min x z)))"),
    ("clamp", numbers("x")+" (fp.leq y z)", "(and (fp.leq y (fp.min z (fp.max y x))) (fp.leq (fp.min z (fp.max y x)) z))"),
    ("clamp-mul", numbers("x"), "(fp.leq (fp.abs (fp.mul RNE {100} (fp.max {-1} (fp.min {1} x)))) {100})"),
    ("narrow-mono", "(fp.leq x y)", "(fp.leq ((_ to_fp 5 11) RNE x) ((_ to_fp 5 11) RNE y))"),
    ("narrow-widen", "(not (fp.isNaN x))", "(fp.leq ((_ to_fp {f}) RNE ((_ to_fp 5 11) RTN x)) x)"),
    ("narrow-twice", "", "(= ((_ to_fp 5 11) RNE ((_ to_fp {f}) RNE ((_ to_fp 5 11) RTN x))) ((_ to_fp 5 11) RTN x))"),
    ("widen-eq", "(= x ((_ to_fp {f}) RNE h))", "(= ((_ to_fp 5 11) RTP x) h)"),
    ("widen-add", numbers("h","k")+" (not (fp.isInfinite h)) (not (fp.isInfinite k))", "(fp.leq ((_ to_fp {f}) RNE (fp.add RTN h k)) (fp.add RTP ((_ to_fp {f}) RNE h) ((_ to_fp {f}) RNE k)))"),
    ("hyp-scale", "(fp.lt {0} x) (fp.leq x y) "+finite("y"), "(let ((q (fp.div RNE x y))) (fp.leq (fp.add RNE {1} (fp.mul RNE q q)) {2}))"),
    ("hyp-sqrt", "(fp.lt {0} x) (fp.leq x y) "+finite("y"), "(let ((q (fp.div RNE x y))) (fp.leq (fp.sqrt RNE (fp.add RNE {1} (fp.mul RNE q q))) {1.5}))"),
    ("lerp", "(fp.leq {0} z) (fp.leq z {1}) (fp.leq {0} x) (fp.leq x {100}) (fp.leq {0} y) (fp.leq y {100})", "(fp.leq {0} (fp.add RNE (fp.mul RNE (fp.sub RNE {1} z) x) (fp.mul RNE z y)))"),
    ("abs-diff", finite("x","y"), "(fp.eq (fp.abs (fp.sub RNE x y)) (fp.abs (fp.sub RNE y x)))"),
    ("tri", finite("x","y"), "(fp.leq (fp.abs (fp.add RNE x y)) (fp.add RNE (fp.abs x) (fp.abs y)))"),
    ("tri-rtp", finite("x","y"), "(fp.leq (fp.abs (fp.sub RTZ x y)) (fp.add RTP (fp.abs x) (fp.abs y)))"),
    ("sq-diff", finite("x","y"), "(= (fp.mul RNE (fp.sub RNE x y) (fp.sub RNE x y)) (fp.mul RNE (fp.sub RNE y x) (fp.sub RNE y x)))"),
    ("sterbenz", "(fp.leq y x) (fp.leq (fp.div RNE x {2}) y) (fp.leq {1} x) (fp.leq x {1000})", "(fp.eq (fp.add RNE (fp.sub RNE x y) y) x)"),
    ("div-mul-one", "(fp.leq {1} x) (fp.leq x {2})", "(fp.leq (fp.mul RNE (fp.div RNE {1} x) x) {1})"),
    ("recip-mono", "(fp.lt {0} x) (fp.lt x y)", "(fp.leq (fp.div RNE {1} y) (fp.div RNE {1} x))"),
    ("x-over-x2", finite("x")+" (fp.lt {1} x)", "(fp.leq (fp.div RNE x (fp.mul RNE x x)) {1})"),
    ("comm-add3", finite("x","y","z"), "(= (fp.add m (fp.add m x y) z) (fp.add m z (fp.add m y x)))"),
    ("comm-mul3", "", "(= (fp.mul m (fp.mul m x y) z) (fp.mul m z (fp.mul m y x)))"),
    ("half-sum", "", "(= (fp.mul RNE {0.5} (fp.add RNE x y)) (fp.div RNE (fp.add RNE y x) {2}))"),
    ("quarter2", "", "(= (fp.div RNE (fp.add RNE x x) {4}) (fp.mul RNE {0.25} (fp.mul RNE {2} x)))"),
    ("neg-sqrt", "(fp.leq {0} x)", "(fp.leq (fp.neg (fp.sqrt RNE x)) {0})"),
    ("sum-sign", finite("x","y")+" (fp.lt {0} x) (fp.lt {0} y)", "(fp.lt {0} (fp.add RNE x y))"),
    ("prod-grow", finite("x","y")+" (fp.leq {1} x) (fp.leq {1} y)", "(fp.leq (fp.max x y) (fp.mul RNE x y))"),
    ("sumsq-order", finite("x","y","z")+" (fp.leq (fp.abs x) (fp.abs z))", "(fp.leq (fp.add RNE (fp.mul RNE x x) (fp.mul RNE y y)) (fp.add RNE (fp.mul RNE z z) (fp.mul RNE y y)))"),
    ("norm-ge", finite("x","y"), "(or (fp.isInfinite (fp.mul RNE x x)) (fp.leq (fp.sqrt RNE (fp.mul RNE x x)) (fp.sqrt RNE (fp.add RNE (fp.mul RNE x x) (fp.mul RNE y y)))))"),
    ("to-int", "(fp.leq {0} x) (fp.leq x {100})", "(bvule ((_ fp.to_ubv 32) RTZ x) #x00000064)"),
    ("to-int-mono", "(fp.leq {0} x) (fp.leq x y) (fp.leq y {100})", "(bvule ((_ fp.to_ubv 32) RTZ x) ((_ fp.to_ubv 32) RTZ y))"),
    ("from-int-mono", "(bvule i j)", "(fp.leq ((_ to_fp_unsigned {f}) RNE i) ((_ to_fp_unsigned {f}) RNE j))"),
    ("from-int-sum", "(bvult i #x0000ffff)", "(fp.lt ((_ to_fp_unsigned 8 24) RNE i) ((_ to_fp 8 24) RNE 65536.0))"),
    ("floor-int", "(fp.leq {0} x) (fp.leq x {1000})", "(fp.leq ((_ to_fp_unsigned {f}) RTZ ((_ fp.to_ubv 32) RTZ x)) x)"),
]
