! feature: modules, generic interfaces
! exceptions: found, proved
! precision: bound
! test: found, proved
! flags: -cpp
module laws
  implicit none
  interface law
    module procedure times, damped
  end interface
contains
  double precision function times(a, b)
    double precision, intent(in) :: a, b
    times = a * b
  end function
  double precision function damped(a)
    double precision, intent(in) :: a
    damped = 1d0 / (1d0 + abs(a))
  end function
end module
double precision function f(x, y)
  use laws
  double precision, intent(in) :: x, y
  double precision :: p, q
  p = law(x, y)
  q = law(x)
#ifndef PLAIN
  if (q > 1d0) call abort
  if (p > 1d308) call abort
#endif
  f = p * q
end function
