! feature: COMMON, EQUIVALENCE, SAVE, DATA
! exceptions: found, proved
! precision: bound
! test: found, proved
! flags: -cpp
double precision function f(x, y)
  double precision :: gain, pair(2), a, last
  common /params/ gain
  equivalence (pair(1), a)
  save last
  data last /1d0/
  double precision, intent(in) :: x, y
  double precision :: p, q
  gain = y
  a = x
  p = pair(1) * gain
  q = last / (last + abs(a))
  last = 1d0
#ifndef PLAIN
  if (q > 1d0) call abort
  if (p > 1d308) call abort
#endif
  f = p * q
end function
