! expect: holds
module inputs
  use iso_c_binding
  implicit none
  interface
    function nondet() bind(C, name="__VERIFIER_nondet_double")
      import :: c_double
      real(c_double) :: nondet
    end function
    function nondet_int() bind(C, name="__VERIFIER_nondet_int")
      import :: c_int
      integer(c_int) :: nondet_int
    end function
    subroutine error() bind(C, name="reach_error")
    end subroutine
  end interface
end module
program main
  use inputs
  implicit none
  double precision, target :: data(4)
  double precision, pointer :: odd(:), p
  integer :: i
  do i = 1, 4
    data(i) = nondet()
    if (.not. (data(i) >= 1d0 .and. data(i) <= 2d0)) stop
  end do
  odd => data(1::2)
  odd = 0d0
  p => data(4)
  if (.not. (1d0 / p <= 1d0)) call error()
  if (sum(data) > 4d0) call error()
end program
