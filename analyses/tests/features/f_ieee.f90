! feature: `ieee_arithmetic`, `ieee_exceptions`
! exceptions: found, proved
! precision: bound
! test: found, proved
! flags: -cpp
double precision function f(x, y)
  use, intrinsic :: ieee_arithmetic
  logical :: flag
  double precision, intent(in) :: x, y
  double precision :: p, q
  call ieee_set_flag(ieee_overflow, .false.)
  p = x * y
  call ieee_get_flag(ieee_overflow, flag)
  if (flag .and. ieee_is_nan(p)) p = 0d0
  q = 1d0 / (1d0 + abs(x))
#ifndef PLAIN
  if (q > 1d0) call abort
  if (p > 1d308) call abort
#endif
  f = p * q
end function
