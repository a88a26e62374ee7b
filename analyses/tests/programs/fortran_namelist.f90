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
  double precision :: x, y
  character(len=20) :: text
  namelist /settings/ x, y
  x = nondet()
  if (.not. (x >= -1d0 .and. x <= 1d0)) stop
  y = acos(x)
  print *, 'angle', y
  write (*, '(a,f8.3,1x,es12.4)') 'formatted', x, y
  write (*, settings)
  write (text, '(i5)') 42
  if (.not. y <= 3.2d0) call error()
end program
