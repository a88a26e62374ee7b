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
module buffers
  implicit none
  type :: buffer
    double precision, allocatable :: values(:)
    integer :: used = 0
  end type
contains
  subroutine append(b, x)
    type(buffer), intent(inout) :: b
    double precision, intent(in) :: x
    double precision, allocatable :: bigger(:)
    if (.not. allocated(b%values)) allocate(b%values(1))
    if (b%used == size(b%values)) then
      allocate(bigger(2 * b%used))
      bigger = 0d0
      bigger(1:b%used) = b%values
      call move_alloc(bigger, b%values)
    end if
    b%used = b%used + 1
    b%values(b%used) = x
  end subroutine
end module
program main
  use inputs
  use buffers
  implicit none
  type(buffer) :: b
  double precision :: x
  integer :: i
  do i = 1, 3
    x = nondet()
    if (.not. (x >= 1d0 .and. x <= 2d0)) stop
    call append(b, x)
  end do
  b%values = [b%values(1:3), 1d0]
  if (.not. (1d0 / minval(b%values) <= 1d0)) call error()
end program
