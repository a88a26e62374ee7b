! expect: holds
module sums
  implicit none
contains
  function total(a) result(s)
    double precision, intent(in) :: a(:)
    double precision :: s
    integer :: i
    s = 0
    do i = 1, size(a)
      s = s + abs(a(i))
    end do
  end function
end module
function main() bind(C, name="main") result(status)
  use iso_c_binding
  use sums
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
  double precision, allocatable :: v(:)
  integer :: i
  status = 0
  allocate(v(3))
  do i = 1, 3
    v(i) = nondet()
    if (.not. abs(v(i)) <= 1) return
  end do
  if (.not. total(v) <= 3) call error()
  if (.not. total(v(1:3:2)) <= 2) call error()
  deallocate(v)
  if (allocated(v)) call error()
end function
