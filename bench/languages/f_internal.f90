! feature: internal procedures as arguments
! exceptions: found, proved
! precision: bound
! test: found, proved
! flags: -cpp
double precision function f(x, y)
  double precision, intent(in) :: x, y
  double precision :: p, q
  p = apply(times)
  q = 1d0 / (1d0 + abs(x))
#ifndef PLAIN
  if (q > 1d0) call abort
  if (p > 1d308) call abort
#endif
  f = p * q
contains
  double precision function times(b)
    double precision, intent(in) :: b
    times = x * b
  end function
  double precision function apply(g)
    double precision, external :: g
    apply = g(y)
  end function
end function
