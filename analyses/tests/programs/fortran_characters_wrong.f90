! expect: error-call at 47
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
module names
  implicit none
contains
  double precision function unit(name)
    character(len=*), intent(in) :: name
    character(len=8) :: lower
    integer :: i
    lower = adjustl(name)
    do i = 1, len_trim(lower)
      if (lower(i:i) >= 'A' .and. lower(i:i) <= 'Z') lower(i:i) = achar(iachar(lower(i:i)) + 32)
    end do
    select case (trim(lower))
    case ('m', 'metre')
      unit = 1d0
    case ('km')
      unit = 1d3
    case default
      unit = 0d0
    end select
  end function
end module
program main
  use inputs
  use names
  implicit none
  double precision :: x
  x = nondet()
  if (.not. (x >= 1d0 .and. x <= 2d0)) stop
  x = x / unit('mile')
  if (.not. x <= 1d0) call error()
  if (index('metres', 'tre') /= 3 .or. len_trim('ab  ') /= 2) call error()
end program
