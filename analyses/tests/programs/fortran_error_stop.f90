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
module checks
contains
  subroutine require(ok, message)
    logical, intent(in) :: ok
    character(len=*), intent(in) :: message
    if (.not. ok) error stop message
  end subroutine
end module
program main
  use inputs
  use checks
  implicit none
  double precision :: x
  x = nondet()
  call require(x > 0d0, 'x must be positive')
  if (x < 1d-300) stop 2
  if (.not. 1d0 / x <= huge(1d0)) call error()
end program
