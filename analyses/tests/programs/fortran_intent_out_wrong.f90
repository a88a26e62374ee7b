! expect: error-call at 30
module splitting
  implicit none
contains
  subroutine split(x, whole, rest)
    double precision, intent(in) :: x
    double precision, intent(out) :: whole, rest
    whole = aint(x)
    rest = x - whole
  end subroutine
end module
function main() bind(C, name="main") result(status)
  use iso_c_binding
  use splitting
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
  double precision :: x, w, r
  status = 0
  x = nondet()
  if (abs(x) <= 1d6) then
    call split(x, w, r)
    if (r < 0d0 .or. r >= 1d0) call error()
  end if
end function
