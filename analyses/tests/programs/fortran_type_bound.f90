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
module bodies
  implicit none
  type :: body
    double precision :: mass = 1d0, v(3) = 0d0
  contains
    procedure :: kinetic
    procedure :: push
  end type
contains
  double precision function kinetic(self)
    class(body), intent(in) :: self
    kinetic = 0.5d0 * self%mass * dot_product(self%v, self%v)
  end function
  subroutine push(self, f, dt)
    class(body), intent(inout) :: self
    double precision, intent(in) :: f(3), dt
    if (self%mass > 1d-3) self%v = self%v + f / self%mass * dt
  end subroutine
end module
program main
  use inputs
  use bodies
  implicit none
  type(body) :: b
  b%mass = nondet()
  if (.not. (b%mass >= 0d0 .and. b%mass <= 10d0)) stop
  call b%push([1d0, 0d0, 0d0], 1d-2)
  if (.not. (b%kinetic() <= 1d6)) call error()
end program
