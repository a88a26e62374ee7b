; FPSE, tables 3 and 4, row 6 (foo1.c, double): x > 0, x + 1e12 == 1e12
; expected: sat
; expected: X 0x1p-1074 0x1p-14
(set-logic QF_FP)
(declare-const X (_ FloatingPoint 11 53))
(assert (fp.gt X ((_ to_fp 11 53) RNE 0.0)))
(assert (fp.eq (fp.add RNE X ((_ to_fp 11 53) RNE 1000000000000.0)) ((_ to_fp 11 53) RNE 1000000000000.0)))
(check-sat)
