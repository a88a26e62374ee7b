! The length of a vector in Fortran, as norm2.c has it in C.
!
!     nanoscope exceptions examples/norm2.f90 --array x=3
!
! What Nanoscope shows: the squares overflow and underflow although the length itself
! is an ordinary number.

function length2(x, n) result(length)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8) :: length, total
  integer :: i

  total = 0.0d0
  do i = 1, n
     total = total + x(i) * x(i)
  end do
  length = sqrt(total)
end function length2
