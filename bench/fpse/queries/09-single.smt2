; FPSE, tables 3 and 4, row 9 (power.c, single): a path that cannot be taken
; expected: unsat
(set-logic QF_FP)
(declare-const Y (_ FloatingPoint 8 24))
(assert (fp.lt Y ((_ to_fp 8 24) RNE 0.0)))
(assert (fp.leq (fp.neg Y) ((_ to_fp 8 24) RNE 0.0)))
(check-sat)
