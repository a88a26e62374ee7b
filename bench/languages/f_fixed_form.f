C     feature: fixed form: computed GO TO, statement functions
C     exceptions: found, proved
C     precision: bound
C     test: found, proved
C     flags: -cpp
      DOUBLE PRECISION FUNCTION F(X, Y)
      DOUBLE PRECISION X, Y, P, Q, D, T
      INTEGER K
      D(T) = 1.0D0 / (1.0D0
     +     + ABS(T))
      K = 1
      IF (X .LT. 0.0D0) K = 2
      GO TO (10, 20), K
   10 P = X * Y
      GO TO 30
   20 P = -X * Y
   30 Q = D(X)
#ifndef PLAIN
      IF (Q .GT. 1.0D0) CALL ABORT
      IF (P .GT. 1.0D308) CALL ABORT
#endif
      F = P * Q
      END
