! Functions in Fortran whose handling of exceptions is known. tests/kinds.rs says what must be found.

! maxval leaves a NaN out.
subroutine scaled_rows(n, x, largest)
  integer, intent(in) :: n
  double precision, intent(inout) :: x(n)
  double precision, intent(out) :: largest
  largest = maxval(abs(x))
  if (largest > 0d0) x = min(x, largest)
end subroutine

! Right: what is divided by its largest element is NaN where that is.
subroutine unit_rows(n, x)
  integer, intent(in) :: n
  double precision, intent(inout) :: x(n)
  double precision :: largest
  largest = maxval(abs(x))
  if (largest > 0d0) x = x / largest
end subroutine

! A mask is false for NaN.
subroutine roots(n, x, y)
  integer, intent(in) :: n
  real, intent(in) :: x(n)
  real, intent(out) :: y(n)
  where (x > 0.0)
    y = sqrt(x)
  elsewhere
    y = 0.0
  end where
end subroutine

! The length of the job comes at the end. 'C' is the largest column sum, which loses a NaN; 'F' does not.
double precision function norm_of(job, n, a, lda)
  character, intent(in) :: job
  integer, intent(in) :: n, lda
  double precision, intent(in) :: a(lda, *)
  integer :: j
  norm_of = 0d0
  do j = 1, n
    if (job == 'C') then
      norm_of = max(norm_of, sum(abs(a(1:n, j))))
    else
      norm_of = norm_of + sum(a(1:n, j)**2)
    end if
  end do
end function

! Right: says by info that a pivot is not positive, and a NaN is not.
subroutine factor(n, a, lda, info)
  integer, intent(in) :: n, lda
  double precision, intent(inout) :: a(lda, *)
  integer, intent(out) :: info
  integer :: i, j
  info = 0
  do j = 1, n
    a(j, j) = a(j, j) - sum(a(j, 1:j-1)**2)
    if (.not. (a(j, j) > 0d0 .and. a(j, j) <= huge(1d0))) then
      info = j
      return
    end if
    a(j, j) = sqrt(a(j, j))
    do i = j + 1, n
      a(i, j) = (a(i, j) - sum(a(i, 1:j-1) * a(j, 1:j-1))) / a(j, j)
    end do
  end do
end subroutine

! Complex results of both kinds. Right.
complex function turned(z, w)
  complex, intent(in) :: z, w
  turned = cmplx(real(z)*real(w) - aimag(z)*aimag(w), real(z)*aimag(w) + aimag(z)*real(w))
end function

! The larger of two by its real part: a NaN in the first is not larger.
double complex function larger(z, w)
  double complex, intent(in) :: z, w
  if (dble(z) > dble(w)) then
    larger = z
  else
    larger = w
  end if
end function

! Whole numbers of NaN and infinities are the least one, which is cut to 1. For -inf that is right.
subroutine graded(n, x, grade)
  integer, intent(in) :: n
  double precision, intent(in) :: x(n)
  double precision, intent(out) :: grade(n)
  integer :: i
  do i = 1, n
    grade(i) = dble(max(1, min(5, nint(x(i)))))
  end do
end subroutine

! Sweeps until nothing changes by more than the tolerance. A number that is overwritten before it is read
! is lost, and so is a tolerance that is NaN: no change is within it.
subroutine smoothed(n, x, tol, sweeps)
  integer, intent(in) :: n
  double precision, intent(inout) :: x(n)
  double precision, intent(in) :: tol
  integer, intent(out) :: sweeps
  double precision :: change, next
  integer :: i
  do sweeps = 1, 200
    change = 0d0
    do i = 2, n - 1
      next = 0.5d0 * (x(i-1) + x(i+1))
      change = max(change, abs(next - x(i)))
      x(i) = next
    end do
    if (change <= tol) exit
  end do
end subroutine

! Newton's method that stops where a step is not smaller than the one before: at once for NaN and infinity.
double precision function cubed_root(a)
  double precision, intent(in) :: a
  double precision :: x, next, before
  x = 1d0
  before = huge(1d0)
  do
    next = x - (x**3 - a) / (3d0 * x**2)
    if (.not. (abs(next - x) < before)) exit
    before = abs(next - x)
    x = next
  end do
  cubed_root = x
end function
