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
  double precision :: gain, y
  integer :: count
  count = 0
  gain = nondet()
  if (.not. (gain >= -2d0 .and. gain <= 2d0)) stop
  y = apply(cubic, 0.5d0)
  if (count /= 2) call error()
  if (.not. abs(y) <= 2d0) call error()
contains
  double precision function cubic(x)
    double precision, intent(in) :: x
    count = count + 1
    cubic = gain * x**3 + gain
  end function
  double precision function apply(f, x)
    interface
      double precision function f(x)
        double precision, intent(in) :: x
      end function
    end interface
    double precision, intent(in) :: x
    apply = f(x) - f(-x) / 2
  end function
end program
