! feature: `sum`, `maxval`, `dot_product`, `matmul`, …
! exceptions: found, proved
! precision: bound
! test: found, proved
! flags: -cpp
double precision function f(x, y)
  double precision :: v(2), w(2)
  double precision, intent(in) :: x, y
  double precision :: p, q
  v = [x, 0d0]
  w = [y, 0d0]
  p = dot_product(v, w)
  q = 1d0 / (1d0 + maxval(abs(v)))
#ifndef PLAIN
  if (q > 1d0) call abort
  if (p > 1d308) call abort
#endif
  f = p * q
end function
