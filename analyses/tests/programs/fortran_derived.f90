! expect: holds
module bodies
  implicit none
  type :: body
    double precision :: mass
    double precision :: v(2)
  end type
contains
  subroutine push(b, force)
    type(body), intent(inout) :: b
    double precision, intent(in) :: force
    b%v(1) = b%v(1) + force / b%mass
  end subroutine
end module
function main() bind(C, name="main") result(status)
  use iso_c_binding
  use bodies
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
  type(body) :: b
  double precision :: f
  status = 0
  f = nondet()
  b = body(2d0, [1d0, 3d0])
  if (f >= 0d0 .and. f <= 1d100) then
    call push(b, f)
    if (b%v(1) < 1d0 .or. b%v(2) /= 3d0) call error()
  end if
end function
