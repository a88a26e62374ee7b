! feature: `print`, `write`, namelists
! exceptions: found, proved
! precision: bound
! test: found, proved
! flags: -cpp
double precision function f(x, y)
  character(len=20) :: text
  namelist /values/ p, q
  double precision, intent(in) :: x, y
  double precision :: p, q
  p = x * y
  q = 1d0 / (1d0 + abs(x))
  print *, p
  write (*, values)
  write (text, "(f8.3)") q
#ifndef PLAIN
  if (q > 1d0) call abort
  if (p > 1d308) call abort
#endif
  f = p * q
end function
