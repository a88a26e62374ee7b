! expect: error-call at 20
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
  real(c_double) :: x, y, mean
  status = 0
  x = nondet()
  y = nondet()
  if (x >= 1d0 .and. x <= y .and. y <= 1d308) then
    mean = (x + y) / 2
    if (mean > y) call error()
  end if
end function
