! expect: error-call at 19
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
  double precision :: x(3), y(3)
  status = 0
  x = [nondet(), 1d0, 1d0]
  y = [x(1), 1d0, 1d0]
  if (x(1) > 1d0 .and. x(1) <= 1d200) then
    if (dot_product(x, y) > huge(1d0)) call error()
  end if
end function
