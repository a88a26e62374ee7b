! expect: error-call at 64
module inputs
  use iso_c_binding
  implicit none
  interface
    function nondet() bind(C, name="__VERIFIER_nondet_double")
      import :: c_double
      real(c_double) :: nondet
    end function
    function nondet_int() bind(C, name="__VERIFIER_nondet_int")
      import :: c_int
      integer(c_int) :: nondet_int
    end function
    subroutine error() bind(C, name="reach_error")
    end subroutine
  end interface
end module
module shapes
  implicit none
  type, abstract :: shape
  contains
    procedure(measure), deferred :: area
  end type
  abstract interface
    double precision function measure(self)
      import :: shape
      class(shape), intent(in) :: self
    end function
  end interface
  type, extends(shape) :: circle
    double precision :: r
  contains
    procedure :: area => circle_area
  end type
  type, extends(shape) :: box
    double precision :: a, b
  contains
    procedure :: area => box_area
  end type
contains
  double precision function circle_area(self)
    class(circle), intent(in) :: self
    circle_area = 3d0 * self%r**2
  end function
  double precision function box_area(self)
    class(box), intent(in) :: self
    box_area = self%a * self%b
  end function
end module
program main
  use inputs
  use shapes
  implicit none
  class(shape), allocatable :: s
  double precision :: x, y
  x = nondet()
  y = nondet()
  if (.not. (abs(x) <= 1d3 .and. abs(y) <= 1d3)) stop
  if (x > 5d0) then
    allocate(s, source=circle(x))
  else
    allocate(s, source=box(x, y))
  end if
  if (.not. s%area() >= 0d0) call error()
end program
