! Fortran's compiler does not say that integers have a sign; they have.
subroutine next(x, y)
  double precision, intent(in) :: x
  double precision, intent(out) :: y
  integer :: i
  y = 0
  if (.not. (x > -10 .and. x < 2147483647.5d0)) return
  i = int(x)
  y = dble(i + 1) ! finds: integer-overflow
end subroutine

subroutine within(x, y)
  double precision, intent(in) :: x
  double precision, intent(out) :: y
  y = 0
  if (x > -10 .and. x < 1000) y = dble(int(x) - 1)
end subroutine
