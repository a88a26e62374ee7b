; FPSE, tables 3 and 4, row 1 (g1.c, double): ((2e-30 + 1e30) - 1e30) - 1e-30
; expected: sat
; expected: X -0x1.4484bfeebc2ap-100 -0x1.4484bfeebc2ap-100
(set-logic QF_FP)
(declare-const X (_ FloatingPoint 11 53))
(define-fun t2 () (_ FloatingPoint 11 53) (fp.add RNE ((_ to_fp 11 53) RNE (/ 2.0 1000000000000000000000000000000.0)) ((_ to_fp 11 53) RNE 1000000000000000000000000000000.0)))
(define-fun t1 () (_ FloatingPoint 11 53) (fp.sub RNE t2 ((_ to_fp 11 53) RNE 1000000000000000000000000000000.0)))
(assert (= X (fp.sub RNE t1 ((_ to_fp 11 53) RNE (/ 1.0 1000000000000000000000000000000.0)))))
(check-sat)
