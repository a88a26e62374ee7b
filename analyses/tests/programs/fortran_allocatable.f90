! expect: holds
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
  double precision, allocatable :: a(:)
  integer :: n
  double precision :: x
  status = 0
  x = nondet()
  n = 2
  if (x > 0d0) n = 3
  allocate(a(n))
  a = x
  if (size(a) == 3 .and. .not. (minval(a) > 0d0)) call error()
  deallocate(a)
end function
