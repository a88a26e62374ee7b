! feature: assumed shape, sections
! exceptions: found, proved
! precision: bound
! test: found, proved
! flags: -cpp
double precision function f(x, y)
  double precision :: a(2,2)
  double precision, intent(in) :: x, y
  double precision :: p, q
  a(1,:) = [x, y]
  a(2,:) = 1d0
  p = product_of(a(1,:))
  q = 1d0 / (1d0 + abs(a(1,1)))
#ifndef PLAIN
  if (q > 1d0) call abort
  if (p > 1d308) call abort
#endif
  f = p * q
contains
  double precision function product_of(v)
    double precision, intent(in) :: v(:)
    integer :: i
    product_of = 1d0
    do i = 1, size(v)
      product_of = product_of * v(i)
    end do
  end function
end function
