C     expect: error-call at 48
      PROGRAM MAIN
      DOUBLE PRECISION X, Y, F, NONDET, T
      EXTERNAL NONDET
      INTEGER K
      F(T) = 2.0D0 * T
     +     + 1.0D0
      X = NONDET()
      IF (.NOT. (X .GE. 0.0D0 .AND. X .LE. 3.5D0)) STOP
      K = INT(X) + 1
      GO TO (10, 20, 30), K
      Y = 0.0D0
      GO TO 40
   10 Y = F(X)
      GO TO 40
   20 Y = F(F(X))
      GO TO 40
   30 IF (X - 2.5D0) 31, 32, 33
   31 Y = 1.0D0
      GO TO 40
   32 Y = 2.0D0
      GO TO 40
   33 Y = 3.0D0
   40 CONTINUE
      DO 50 K = 1, 2
   50 Y = Y * 2.0D0
      CALL CHECK(Y)
      END
      SUBROUTINE CHECK(Y)
      DOUBLE PRECISION Y
      IF (.NOT. 1.0D0 / Y .LE. 1.0D0) THEN
         CALL ERROR()
      END IF
      END
      DOUBLE PRECISION FUNCTION NONDET()
      INTERFACE
        FUNCTION ND() BIND(C, NAME="__VERIFIER_nondet_double")
          DOUBLE PRECISION ND
        END FUNCTION
      END INTERFACE
      NONDET = ND()
      END
      SUBROUTINE ERROR()
      INTERFACE
        SUBROUTINE E() BIND(C, NAME="reach_error")
        END SUBROUTINE
      END INTERFACE
      CALL E()
      END
