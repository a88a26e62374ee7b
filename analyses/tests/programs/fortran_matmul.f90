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
  double precision :: a(2, 2), x(2), y(2)
  status = 0
  x(1) = nondet()
  x(2) = 1d0
  if (abs(x(1)) <= 1d10) then
    a = reshape([0d0, 1d0, 1d0, 0d0], [2, 2])
    y = matmul(a, x)
    if (y(1) /= x(2) .or. y(2) /= x(1)) call error()
  end if
end function
