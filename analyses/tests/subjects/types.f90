! Derived types, and arrays behind descriptors, as inputs by their components and elements.
module bodies
  implicit none
  type :: point
    real(8) :: x, y
  end type
  type :: body
    real(8) :: mass
    type(point) :: at
    real(8) :: spin(2)
    integer :: kind
  end type
contains
  real(8) function reciprocal(b)
    type(body), intent(in) :: b
    reciprocal = 1d0 / (b%at%y - 2d0) ! finds: divide-by-zero underflow
    if (b%kind == 3) reciprocal = b%spin(2) + 1d308 ! finds: overflow
  end function
  real(8) function mean(x)
    real(8), intent(in) :: x(:)
    mean = sum(x) / size(x) ! finds: overflow underflow invalid
  end function
  subroutine invert(a)
    real(8), intent(inout) :: a(:, :)
    a(2, 1) = 1d0 / a(1, 2) ! finds: divide-by-zero overflow underflow
  end subroutine
  subroutine grow(t)
    real(8), allocatable, intent(inout) :: t(:)
    real(8) :: first
    first = t(1)
    deallocate(t)
    allocate(t(2))
    t(1) = first * first ! finds: overflow underflow
    t(2) = 1d0
  end subroutine
  real(8) function scaled(x, factor)
    real(8), intent(in) :: x
    real(8), intent(in), optional :: factor
    scaled = x
    if (present(factor)) scaled = x * factor ! finds: overflow underflow
    if (.not. present(factor)) scaled = 1d0 / x ! finds: divide-by-zero overflow underflow
  end function
  real(8) function heft(self)
    class(body), intent(in) :: self
    heft = 1d0 / (self%mass - 1d0) ! finds: divide-by-zero underflow
  end function
  real(8) function ratio(f, x)
    interface
      real(8) function f(x)
        real(8), intent(in) :: x
      end function
    end interface
    real(8), intent(in) :: x
    ratio = 1d0 / f(x) ! finds: divide-by-zero overflow underflow
  end function
end module
