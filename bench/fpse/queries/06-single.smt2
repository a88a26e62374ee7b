; FPSE, tables 3 and 4, row 6 (foo1.c, single): x > 0, x + 1e12 == 1e12
; expected: sat
; expected: X 0x1p-149 0x1.fffffep+14
(set-logic QF_FP)
(declare-const X (_ FloatingPoint 8 24))
(assert (fp.gt X ((_ to_fp 8 24) RNE 0.0)))
(assert (fp.eq (fp.add RNE X ((_ to_fp 8 24) RNE 1000000000000.0)) ((_ to_fp 8 24) RNE 1000000000000.0)))
(check-sat)
