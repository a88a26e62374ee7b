! Calls every function of fortran.f90, from another file so that none is inlined.
program calls
  implicit none
  double precision :: x(5), y(5), a(4, 3), big, norm_of, cubed_root
  real :: f(8), g(8)
  complex :: turned, c
  double complex :: larger, d
  integer :: info, sweeps, i
  external :: norm_of, turned, larger, cubed_root
  x = [1d0, 3d0, -2d0, 4d0, 2.5d0]
  y = x
  call scaled_rows(5, y, big)
  y = x
  call unit_rows(5, y)
  f = [(real(i) - 3.5, i = 1, 8)]
  call roots(8, f, g)
  a = 0d0
  do i = 1, 3
    a(i, i) = 4d0 + i
    if (i > 1) a(i, i-1) = 1d0
    if (i > 1) a(i-1, i) = 1d0
  end do
  big = norm_of('C', 3, a, 4) + norm_of('F', 3, a, 4)
  call factor(3, a, 4, info)
  c = turned((1.0, 2.0), (3.0, -1.0))
  d = larger((1d0, 2d0), (3d0, -1d0))
  call graded(5, x, y)
  y = x
  call smoothed(5, y, 1d-6, sweeps)
  big = big + cubed_root(5d0)
  if (big < -1d30) print *, c, d, g
end program
