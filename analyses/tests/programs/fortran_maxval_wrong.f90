! expect: error-call at 18
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
  double precision :: a(3)
  status = 0
  a = [1d0, nondet(), 2d0]
  if (maxval(a) > 2d0) then
    if (a(2) > 1d300) call error()
  end if
end function
