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
  complex(c_double_complex) :: z
  double precision :: x
  status = 0
  x = nondet()
  z = cmplx(x, 1d0, kind=c_double_complex)
  if (x > 1d0 .and. x <= 1d300) then
    if (real(z * z) > huge(x)) call error()
  end if
end function
