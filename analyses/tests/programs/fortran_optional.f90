! expect: holds
module scaling
  implicit none
contains
  double precision function halved(x, times)
    double precision, intent(in) :: x
    integer, intent(in), optional :: times
    integer :: i
    halved = 0.5d0 * x
    if (.not. present(times)) return
    do i = 2, times
      halved = 0.5d0 * halved
    end do
  end function
end module
function main() bind(C, name="main") result(status)
  use iso_c_binding
  use scaling
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
  if (.not. (x >= 1d0 .and. x <= 1d300)) return
  if (halved(x) < halved(x, 3)) call error()
  if (4 * halved(x, 3) /= halved(x)) call error()
end function
