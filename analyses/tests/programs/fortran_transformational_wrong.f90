! expect: error-call at 31
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
  double precision :: a(2,2), b(2,2), x(2)
  integer :: i
  do i = 1, 2
    x(i) = nondet()
    if (.not. (abs(x(i)) <= 10d0)) stop
  end do
  a = reshape([x(1), x(2), -x(2), x(1)], [2, 2])
  b = matmul(transpose(a), a)
  x = cshift(x, 1)
  if (count(x > 100d0) /= 0) call error()
  if (b(1,1) == 0d0) call error()
end program
