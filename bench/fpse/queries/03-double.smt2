; FPSE, tables 3 and 4, row 3 (g2.c, double): B^2 - 4AC == 0 for C
; expected: sat
; expected: C 0x1.249b1c5ead939p+1 0x1.249b1c5ead939p+1
(set-logic QF_FP)
(declare-const C (_ FloatingPoint 11 53))
(define-fun A () (_ FloatingPoint 11 53) ((_ to_fp 11 53) RNE 1.22))
(define-fun B () (_ FloatingPoint 11 53) ((_ to_fp 11 53) RNE 3.34))
(assert (fp.eq (fp.sub RNE (fp.mul RNE B B) (fp.mul RNE ((_ to_fp 11 53) RNE 4.0) (fp.mul RNE A C))) ((_ to_fp 11 53) RNE 0.0)))
(check-sat)
