! feature: elemental, pure and recursive procedures
! exceptions: found, proved
! precision: bound
! test: found, proved
! flags: -cpp
double precision function f(x, y)
  double precision, intent(in) :: x, y
  double precision :: p, q
  p = x * y
  q = damped(x, 2)
#ifndef PLAIN
  if (q > 1d0) call abort
  if (p > 1d308) call abort
#endif
  f = p * q
contains
  recursive pure double precision function damped(a, n) result(r)
    double precision, intent(in) :: a
    integer, intent(in) :: n
    if (n == 0) then
      r = 1d0 / (1d0 + abs(a))
    else
      r = damped(a, n - 1)
    end if
  end function
end function
