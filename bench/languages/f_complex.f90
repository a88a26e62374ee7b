! feature: complex
! exceptions: found, proved
! precision: bound
! test: found, proved
! flags: -cpp
double precision function f(x, y)
  complex(kind(1d0)) :: z
  double precision, intent(in) :: x, y
  double precision :: p, q
  z = cmplx(x, 0d0, kind(1d0)) * y
  p = real(z)
  q = 1d0 / (1d0 + abs(cmplx(x, 0d0, kind(1d0))))
#ifndef PLAIN
  if (q > 1d0) call abort
  if (p > 1d308) call abort
#endif
  f = p * q
end function
