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
  integer, parameter :: xp = selected_real_kind(18), qp = selected_real_kind(30)
  real(xp) :: e
  real(qp) :: q
  double precision :: x
  x = nondet()
  if (.not. (x >= 1d0 .and. x <= 1d200)) stop
  e = real(x, xp) * x
  e = sqrt(e)
  if (.not. e <= 1.1e200_xp) call error()
  q = real(x, qp) + 1e-20_qp
  if (q < x) call error()
end program
