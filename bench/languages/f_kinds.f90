! feature: `real(10)`, `real(16)`
! exceptions: found, proved
! precision: bound
! test: found, proved
! flags: -cpp
double precision function f(x, y)
  real(10) :: w
  real(16) :: v
  double precision, intent(in) :: x, y
  double precision :: p, q
  w = real(x, 10) * y
  p = dble(w)
  v = 1._16 + abs(x)
  q = dble(1._16 / v)
#ifndef PLAIN
  if (q > 1d0) call abort
  if (p > 1d308) call abort
#endif
  f = p * q
end function
