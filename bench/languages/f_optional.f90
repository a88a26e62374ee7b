! feature: optional and keyword arguments
! exceptions: found, proved
! precision: bound
! test: found, proved
! flags: -cpp
double precision function f(x, y)
  double precision, intent(in) :: x, y
  double precision :: p, q
  p = times(b=y, a=x)
  q = 1d0 / (1d0 + abs(times(x)))
#ifndef PLAIN
  if (q > 1d0) call abort
  if (p > 1d308) call abort
#endif
  f = p * q
contains
  double precision function times(a, b)
    double precision, intent(in) :: a
    double precision, intent(in), optional :: b
    times = a
    if (present(b)) times = a * b
  end function
end function
