! feature: characters
! exceptions: found, proved
! precision: bound
! test: found, proved
! flags: -cpp
double precision function f(x, y)
  character(len=8) :: name
  double precision, intent(in) :: x, y
  double precision :: p, q
  name = adjustl("  times ")
  p = 0d0
  if (trim(name) == "times") p = x * y
  q = 1d0 / (dble(len_trim(name)) - 4d0 + abs(x))
#ifndef PLAIN
  if (q > 1d0) call abort
  if (p > 1d308) call abort
#endif
  f = p * q
end function
