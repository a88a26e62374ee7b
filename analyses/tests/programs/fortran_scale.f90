! expect: holds
function main() bind(C, name="main") result(status)
  use iso_c_binding
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
  if (x >= 1d-100 .and. x <= 1d100) then
    if (scale(fraction(x), exponent(x)) /= x) call error()
    if (fraction(x) < 0.5d0 .or. fraction(x) >= 1d0) call error()
  end if
end function
