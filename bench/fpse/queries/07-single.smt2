; FPSE, tables 3 and 4, row 7 (foo2.c, single): x < 10000, x + 1e12 > 1e12
; expected: unsat
(set-logic QF_FP)
(declare-const X (_ FloatingPoint 8 24))
(assert (fp.lt X ((_ to_fp 8 24) RNE 10000.0)))
(assert (fp.gt (fp.add RNE X ((_ to_fp 8 24) RNE 1000000000000.0)) ((_ to_fp 8 24) RNE 1000000000000.0)))
(check-sat)
