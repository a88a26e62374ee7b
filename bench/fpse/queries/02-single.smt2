; FPSE, tables 3 and 4, row 2 (g2.c, single): B^2 - 4AC
; expected: sat
; expected: Delta 0x1.de68p-6 0x1.de68p-6
(set-logic QF_FP)
(declare-const Delta (_ FloatingPoint 8 24))
(define-fun A () (_ FloatingPoint 8 24) ((_ to_fp 8 24) RNE 1.22))
(define-fun B () (_ FloatingPoint 8 24) ((_ to_fp 8 24) RNE 3.34))
(define-fun C () (_ FloatingPoint 8 24) ((_ to_fp 8 24) RNE 2.28))
(assert (= Delta (fp.sub RNE (fp.mul RNE B B) (fp.mul RNE ((_ to_fp 8 24) RNE 4.0) (fp.mul RNE A C)))))
(check-sat)
