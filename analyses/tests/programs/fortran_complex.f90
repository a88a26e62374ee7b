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
  complex(c_double_complex) :: z
  double precision :: x, y
  status = 0
  x = nondet()
  y = nondet()
  if (abs(x) <= 1d10 .and. abs(y) <= 1d10) then
    z = cmplx(x, y, kind=c_double_complex)
    if (real(z * conjg(z)) < 0d0) call error()
    if (aimag(conjg(z)) /= -y) call error()
  end if
end function
