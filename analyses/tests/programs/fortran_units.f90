! expect: holds
module naming
  implicit none
contains
  double precision function factor(unit)
    character(len=*), intent(in) :: unit
    select case (unit)
    case ('mm')
      factor = 1d-3
    case ('km')
      factor = 1d3
    case default
      factor = 1d0
    end select
  end function
end module
function main() bind(C, name="main") result(status)
  use iso_c_binding
  use naming
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
  if (x >= 1d0 .and. x <= 1d10) then
    if (factor('m') * x /= x) call error()
    if (factor('mm') * x >= x) call error()
  end if
end function
