! Functions in Fortran whose answers are known; the words above them are those of answers.c.
module answers_state
  implicit none
  integer :: trouble = 0
end module

! right
subroutine scaled_add(n, a, x, y)
  implicit none
  integer, intent(in) :: n
  double precision, intent(in) :: a, x(n)
  double precision, intent(inout) :: y(n)
  y = y + a * x
end subroutine

! right
double precision function euclidean(n, x)
  implicit none
  integer, intent(in) :: n
  double precision, intent(in) :: x(n)
  double precision :: scale
  scale = maxval(abs(x))
  euclidean = scale * sqrt(sum((x / scale)**2))
end function

! guarded
subroutine pivoted(n, d, b, info)
  implicit none
  integer, intent(in) :: n
  double precision, intent(in) :: d(n)
  double precision, intent(inout) :: b(n)
  integer, intent(out) :: info
  integer :: i
  info = 0
  do i = 1, n
    if (.not. (d(i) > 0 .and. d(i) <= huge(d))) then
      info = i
      b = 0
      return
    end if
    b(i) = b(i) / d(i)
  end do
end subroutine

! guarded
subroutine root_ier(x, y, ier)
  implicit none
  real, intent(in) :: x
  real, intent(out) :: y
  integer, intent(out) :: ier
  y = 0
  ier = 129
  if (.not. (x >= 0 .and. x <= huge(x))) return
  y = sqrt(x)
  ier = 0
end subroutine

! guarded
subroutine inverse_ok(x, y, ok)
  implicit none
  double precision, intent(in) :: x
  double precision, intent(out) :: y
  logical, intent(out) :: ok
  ok = abs(x) > 1d-300 .and. abs(x) <= huge(x)
  y = 0
  if (ok) y = 1 / x
end subroutine

! guarded
double precision function stops(x)
  implicit none
  double precision, intent(in) :: x
  if (.not. abs(x) <= huge(x)) error stop 'no number'
  stops = min(x, 1d0)
end function

! guarded
subroutine by_module(x, y)
  use answers_state
  implicit none
  double precision, intent(in) :: x
  double precision, intent(out) :: y
  trouble = 0
  y = 2 * x
  if (.not. abs(y) <= huge(y)) then
    trouble = 1
    y = 0
  end if
end subroutine

! guarded
subroutine by_common(x, y)
  implicit none
  double precision, intent(in) :: x
  double precision, intent(out) :: y
  integer :: ierr
  common /errors/ ierr
  ierr = 0
  y = 2 * x
  if (.not. abs(y) <= huge(y)) then
    ierr = 1
    y = 0
  end if
end subroutine

! right
subroutine times(n, a, b, c)
  implicit none
  integer, intent(in) :: n
  real, intent(in) :: a(n, n), b(n, n)
  real, intent(out) :: c(n, n)
  c = matmul(a, b)
end subroutine

! right
subroutine product_of(z, w, p)
  implicit none
  complex, intent(in) :: z, w
  complex, intent(out) :: p
  p = cmplx(real(z) * real(w) - aimag(z) * aimag(w), real(z) * aimag(w) + aimag(z) * real(w))
end subroutine

! right: the run-time keeps the message in a buffer
subroutine printed(x, y)
  implicit none
  double precision, intent(in) :: x
  double precision, intent(out) :: y
  if (.not. abs(x) <= huge(x)) then
    write (0, *) 'printed: no number'
    y = 0
    return
  end if
  y = 2 * x
end subroutine

! loses x
double precision function greatest(n, x)
  implicit none
  integer, intent(in) :: n
  double precision, intent(in) :: x(n)
  greatest = maxval(x)
end function

! loses x
subroutine rectified(n, x)
  implicit none
  integer, intent(in) :: n
  double precision, intent(inout) :: x(n)
  x = merge(x, 0d0, x > 0)
end subroutine

! loses x
double precision function positive_sum(n, x)
  implicit none
  integer, intent(in) :: n
  double precision, intent(in) :: x(n)
  positive_sum = sum(x, mask=x > 0)
end function

! loses x
double precision function cents(x)
  implicit none
  double precision, intent(in) :: x
  cents = nint(x * 100) / 100d0
end function

! loses x
double precision function signed_unit(x)
  implicit none
  double precision, intent(in) :: x
  signed_unit = sign(1d0, x)
end function

! loses x
subroutine scaled_if_large(n, x)
  implicit none
  integer, intent(in) :: n
  double precision, intent(inout) :: x(n)
  double precision :: most
  integer :: i
  most = 1
  do i = 1, n
    if (abs(x(i)) > most) most = abs(x(i))
  end do
  do i = 1, n
    if (abs(x(i)) < most) then
      x(i) = x(i) / most
    else
      x(i) = 1
    end if
  end do
end subroutine

! loses a
double precision function settled(a, tol)
  implicit none
  double precision, intent(in) :: a, tol
  double precision :: next
  integer :: i
  settled = 1
  do i = 1, 100
    next = 0.5d0 * (settled + a / settled)
    if (.not. abs(next - settled) > tol) exit
    settled = next
  end do
end function

! loses x
double precision function bounded(x)
  implicit none
  double precision, intent(in) :: x
  if (x < 1) then
    bounded = x
  else
    bounded = 1
  end if
end function
