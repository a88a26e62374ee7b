! expect: error-call at 36
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
  double precision :: x(3), y(3), d(3,3)
  integer :: i, j
  do i = 1, 3
    x(i) = nondet()
    if (.not. (abs(x(i)) <= 100d0)) stop
  end do
  where (x >= 0d0)
    y = 1d0 / x
  elsewhere
    y = 0d0
  end where
  forall (i = 1:3, j = 1:3) d(i,j) = x(i) - x(j)
  do concurrent (i = 1:3)
    if (d(i,i) /= 0d0) error stop
  end do
  if (any(y > huge(1d0))) call error()
end program
