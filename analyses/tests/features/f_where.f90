! feature: `where`, `forall`, `do concurrent`
! exceptions: found, proved
! precision: bound
! test: found, proved
! flags: -cpp
double precision function f(x, y)
  double precision :: v(2), w(2)
  integer :: i
  double precision, intent(in) :: x, y
  double precision :: p, q
  v = [x, y]
  where (v < 0d0)
    w = 1d0
  elsewhere
    w = 1d0 / (1d0 + v)
  end where
  p = 1d0
  do concurrent (i = 1:2)
    v(i) = v(i) * 1d0
  end do
  p = v(1) * v(2)
  q = w(1)
#ifndef PLAIN
  if (q > 1d0) call abort
  if (p > 1d308) call abort
#endif
  f = p * q
end function
