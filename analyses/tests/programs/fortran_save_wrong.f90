! expect: error-call at 27
function smoothed(x) result(y)
  double precision, intent(in) :: x
  double precision :: y
  double precision, save :: last = 0
  last = 0.5d0 * last + 0.5d0 * x
  y = last
end function
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
  double precision :: smoothed, y
  status = 0
  y = smoothed(nondet())
  if (.not. abs(y) <= 1) return
  y = smoothed(1d0)
  ! The first call is not forgotten.
  if (y > 0.9d0) call error()
end function
