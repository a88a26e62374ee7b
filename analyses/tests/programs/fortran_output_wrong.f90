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
  double precision :: x
  status = 0
  x = nondet()
  write (*, *) 'half of', 2
  if (x >= 0d0 .and. x <= 1d0) then
    if (x * 0.5d0 >= x) call error()
  end if
end function
