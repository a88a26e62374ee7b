! expect: error-call at 45
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
block data setup
  double precision gain, offset
  common /params/ gain, offset
  data gain, offset /2d0, 0.5d0/
end block data
double precision function respond(x)
  double precision x, gain, offset, last
  common /params/ gain, offset
  save last
  data last /0d0/
  respond = gain * x + offset - last
  last = respond
end function
program main
  use inputs
  implicit none
  double precision gain, offset, x, respond, pair(2)
  complex(kind(1d0)) z
  common /params/ gain, offset
  equivalence (pair, z)
  x = nondet()
  if (.not. (x >= 0d0 .and. x <= 1d0)) stop
  z = cmplx(x, 2d0, kind(1d0))
  if (pair(2) /= 2d0) call error()
  x = respond(pair(1))
  gain = 1d0
  x = respond(1d0)
  if (x < 0d0) call error()
end program
