; FPSE, tables 3 and 4, row 8 (howden.c, double): a path that cannot be taken
; expected: unsat
(set-logic QF_FP)
(declare-const A (_ FloatingPoint 11 53))
(declare-const B (_ FloatingPoint 11 53))
(define-fun x1 () (_ FloatingPoint 11 53) (fp.add RNE (fp.mul RNE A B) ((_ to_fp 11 53) RNE 2.0)))
(assert (fp.gt x1 ((_ to_fp 11 53) RNE 100.0)))
(define-fun x3 () (_ FloatingPoint 11 53) (fp.sub RNE (fp.sub RNE ((_ to_fp 11 53) RNE 100.0) x1) ((_ to_fp 11 53) RNE 50.0)))
(assert (fp.gt x3 ((_ to_fp 11 53) RNE 50.0)))
(check-sat)
