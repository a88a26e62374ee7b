! feature: allocatable arrays
! exceptions: found, proved
! precision: bound
! test: found, proved
! flags: -cpp
double precision function f(x, y)
  double precision, allocatable :: v(:), w(:)
  double precision, intent(in) :: x, y
  double precision :: p, q
  allocate(v(2))
  v = [x, y]
  w = v
  call move_alloc(w, v)
  p = v(1) * v(2)
  q = 1d0 / (1d0 + abs(v(1)))
#ifndef PLAIN
  if (q > 1d0) call abort
  if (p > 1d308) call abort
#endif
  f = p * q
end function
