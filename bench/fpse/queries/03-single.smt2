; FPSE, tables 3 and 4, row 3 (g2.c, single): B^2 - 4AC == 0 for C
; expected: sat
; expected: C 0x1.249b1cp+1 0x1.249b1cp+1
(set-logic QF_FP)
(declare-const C (_ FloatingPoint 8 24))
(define-fun A () (_ FloatingPoint 8 24) ((_ to_fp 8 24) RNE 1.22))
(define-fun B () (_ FloatingPoint 8 24) ((_ to_fp 8 24) RNE 3.34))
(assert (fp.eq (fp.sub RNE (fp.mul RNE B B) (fp.mul RNE ((_ to_fp 8 24) RNE 4.0) (fp.mul RNE A C))) ((_ to_fp 8 24) RNE 0.0)))
(check-sat)
