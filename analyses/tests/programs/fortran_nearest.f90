! expect: error-call at 18
function main() bind(C, name="main") result(status)
  use iso_c_binding
  implicit none
  interface
    function nondet() bind(C, name="__VERIFIER_nondet_double")
      use iso_c_binding
      real(c_double) :: nondet
    end function
    subroutine failed() bind(C, name="__VERIFIER_error")
    end subroutine
  end interface
  integer(c_int) :: status
  real(8) :: x
  status = 0
  x = nondet()
  if (.not. (x > 1 .and. x < 2)) return
  if (nearest(x, 1d0) - x /= spacing(x) .or. x == 1.75d0) call failed()
end function
