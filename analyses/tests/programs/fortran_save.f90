! expect: holds
subroutine next(value)
  integer, intent(out) :: value
  integer, save :: last = 3
  last = last + 1
  value = last
end subroutine
function main() bind(C, name="main") result(status)
  use iso_c_binding
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
  integer :: a, b
  status = 0
  call next(a)
  call next(b)
  if (a /= 4 .or. b /= 5) call error()
end function
