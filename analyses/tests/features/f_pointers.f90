! feature: pointers
! exceptions: found, proved
! precision: bound
! test: found, proved
! flags: -cpp
double precision function f(x, y)
  double precision, target :: v(3)
  double precision, pointer :: w(:)
  double precision, intent(in) :: x, y
  double precision :: p, q
  v = [x, 0d0, y]
  w => v(::2)
  p = w(1) * w(2)
  q = 1d0 / (1d0 + abs(w(1)))
#ifndef PLAIN
  if (q > 1d0) call abort
  if (p > 1d308) call abort
#endif
  f = p * q
end function
