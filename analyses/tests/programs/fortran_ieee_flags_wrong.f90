! expect: error-call at 32
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
  use, intrinsic :: ieee_arithmetic
  use, intrinsic :: ieee_exceptions
  use inputs
  implicit none
  double precision :: x
  double precision, volatile :: y
  logical :: flag
  x = nondet()
  if (.not. abs(x) <= 1d155) stop
  call ieee_set_flag(ieee_overflow, .false.)
  y = x
  y = y * x
  call ieee_get_flag(ieee_overflow, flag)
  if (flag) call error()
end program
