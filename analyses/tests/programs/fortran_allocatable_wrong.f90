! expect: error-call at 24
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
  double precision, allocatable :: v(:)
  double precision :: norm
  status = 0
  allocate(v(2))
  v(1) = nondet()
  v(2) = nondet()
  if (.not. (abs(v(1)) <= 1d200 .and. abs(v(2)) <= 1d200)) return
  norm = sqrt(sum(v**2))
  deallocate(v)
  ! A square is out of range long before the number is.
  if (norm > 1d201) call error()
end function
