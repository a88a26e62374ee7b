; FPSE, tables 3 and 4, row 7 (foo2.c, double): x < 10000, x + 1e12 > 1e12
; The paper prints the lower end as 6.1035156250000000e-05, which is the upper end of row 6:
; there the sum rounds to the even 1e12, so it is the next double that is a solution here.
; expected: sat
; expected: X 0x1.0000000000001p-14 0x1.387ffffffffffp+13
(set-logic QF_FP)
(declare-const X (_ FloatingPoint 11 53))
(assert (fp.lt X ((_ to_fp 11 53) RNE 10000.0)))
(assert (fp.gt (fp.add RNE X ((_ to_fp 11 53) RNE 1000000000000.0)) ((_ to_fp 11 53) RNE 1000000000000.0)))
(check-sat)
