! feature: polymorphic allocatables, deferred procedures
! exceptions: found, proved
! precision: bound
! test: found, proved
! flags: -cpp
module laws
  implicit none
  type, abstract :: law
  contains
    procedure(apply), deferred :: at
  end type
  abstract interface
    double precision function apply(self, b)
      import :: law
      class(law), intent(in) :: self
      double precision, intent(in) :: b
    end function
  end interface
  type, extends(law) :: times
    double precision :: a
  contains
    procedure :: at => times_at
  end type
contains
  double precision function times_at(self, b)
    class(times), intent(in) :: self
    double precision, intent(in) :: b
    times_at = self%a * b
  end function
end module
double precision function f(x, y)
  use laws
  class(law), allocatable :: a
  double precision, intent(in) :: x, y
  double precision :: p, q
  allocate(a, source=times(x))
  p = a%at(y)
  q = 1d0 / (1d0 + abs(x))
#ifndef PLAIN
  if (q > 1d0) call abort
  if (p > 1d308) call abort
#endif
  f = p * q
end function
