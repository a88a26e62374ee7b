! feature: derived types, type-bound procedures
! exceptions: found, proved
! precision: bound
! test: found, proved
! flags: -cpp
module bodies
  implicit none
  type :: body
    double precision :: v(2) = 0d0, unit = 1d0
  contains
    procedure :: times
  end type
contains
  double precision function times(self)
    class(body), intent(in) :: self
    times = self%v(1) * self%v(2)
  end function
end module
double precision function f(x, y)
  use bodies
  type(body) :: b
  double precision, intent(in) :: x, y
  double precision :: p, q
  b%v = [x, y]
  p = b%times()
  q = b%unit / (1d0 + abs(b%v(1)))
#ifndef PLAIN
  if (q > 1d0) call abort
  if (p > 1d308) call abort
#endif
  f = p * q
end function
