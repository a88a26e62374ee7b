! Arrays, loops and intrinsics, as flang writes them.
subroutine stencil(a, b, n)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: a(n)
  real(8), intent(out) :: b(n)
  integer :: i
  do i = 2, n - 1
    b(i) = (a(i - 1) + a(i + 1)) / 2 + sqrt(abs(a(i))) ** 3
    if (b(i) > 1d300) b(i) = anint(b(i) / 7d0)
  end do
end subroutine
