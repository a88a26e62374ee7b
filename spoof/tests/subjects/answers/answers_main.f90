! Calls the functions of answers.f90.
program main
  implicit none
  double precision :: x(4), y(4), r
  real :: a(2, 2), c(2, 2), s
  integer :: k
  logical :: ok
  complex :: z
  double precision, external :: euclidean, stops, greatest, positive_sum, cents, signed_unit, settled, bounded
  x = [1d0, 3d0, 2d0, 4d0]
  y = [2d0, 1d0, 4d0, 3d0]
  call scaled_add(4, 2d0, x, y)
  r = euclidean(4, x)
  call pivoted(4, x, y, k)
  call root_ier(2.0, s, k)
  call inverse_ok(2d0, r, ok)
  r = r + stops(0.5d0)
  call by_module(2d0, r)
  call by_common(2d0, r)
  a = reshape([1.0, 2.0, 3.0, 4.0], [2, 2])
  call times(2, a, a, c)
  call product_of((1.0, 2.0), (3.0, -1.0), z)
  call printed(2d0, r)
  r = r + greatest(4, x) + positive_sum(4, x) + cents(1.234d0) + signed_unit(-2d0) + settled(2d0, 1d-9) + bounded(0.5d0)
  call rectified(4, y)
  call scaled_if_large(4, x)
  if (r + x(1) + y(1) + c(1, 1) + s + real(z) + k < -1d30 .and. ok) stop 1
end program
