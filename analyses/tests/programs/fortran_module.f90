! expect: holds
module shapes
  implicit none
  type :: interval
    double precision :: low, high
  contains
    procedure :: contains => interval_contains
  end type
contains
  logical function interval_contains(self, x)
    class(interval), intent(in) :: self
    double precision, intent(in) :: x
    interval_contains = self%low <= x .and. x <= self%high
  end function
  function hull(a, b) result(h)
    double precision, intent(in) :: a, b
    type(interval) :: h
    h%low = min(a, b)
    h%high = max(a, b)
  end function
  subroutine scale(x, factor)
    double precision, intent(inout) :: x
    double precision, intent(in), optional :: factor
    if (present(factor)) then
      x = x * factor
    else
      x = 2 * x
    end if
  end subroutine
end module
function main() bind(C, name="main") result(status)
  use iso_c_binding
  use shapes
  implicit none
  interface
    function nondet() bind(C, name="__VERIFIER_nondet_double")
      use iso_c_binding
      real(c_double) :: nondet
    end function
    subroutine error() bind(C, name="reach_error")
    end subroutine
  end interface
  integer(c_int) :: status
  double precision :: a, b, y
  type(interval) :: h
  status = 0
  a = nondet()
  b = nondet()
  if (a /= a .or. b /= b) return
  h = hull(a, b)
  if (.not. h%contains(a) .or. .not. h%contains(b)) call error()
  y = 1
  call scale(y)
  call scale(y, 0.5d0)
  if (y /= 1) call error()
end function
