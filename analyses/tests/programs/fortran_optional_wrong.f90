! expect: error-call at 31
module scaling
  implicit none
contains
  double precision function scaled(x, factor)
    double precision, intent(in) :: x
    double precision, intent(in), optional :: factor
    scaled = x
    if (present(factor)) scaled = x * &
      factor
  end function
end module
function main() bind(C, name="main") result(status)
  use iso_c_binding
  use scaling
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
  double precision :: x
  status = 0
  x = nondet()
  if (x > 1d300 .and. x <= 1d308) then
    if (scaled(x) /= x) call error()
    if (scaled(x, 1d3) - x /= scaled(x, 1d3)) call error()
  end if
end function
