! Arrays that descriptors lead to, and messages in buffers. The word above a procedure is its answer.
module shapes
  implicit none
  type grid
    integer :: n
    double precision :: h
    double precision, allocatable :: u(:)
  end type
contains

  ! loses: an array inside of a structure
  function positive_part(g) result(s)
    type(grid), intent(in) :: g
    double precision :: s
    integer :: i
    s = 0
    do i = 1, g%n
      if (g%u(i) > 0) s = s + g%u(i) * g%h
    end do
  end function

  ! right
  function integral(g) result(s)
    type(grid), intent(in) :: g
    double precision :: s
    s = sum(g%u) * g%h
  end function

  ! loses
  function largest_of(x) result(r)
    double precision, intent(in) :: x(:)
    double precision :: r
    integer :: i
    r = 0
    do i = 1, size(x)
      if (abs(x(i)) > r) r = abs(x(i))
    end do
  end function

  ! right
  function mean_of(x) result(r)
    double precision, intent(in) :: x(:)
    double precision :: r
    r = sum(x) / size(x)
  end function

  ! loses
  function energy(x, cutoff) result(e)
    double precision, intent(in) :: x(:), cutoff
    double precision :: e
    integer :: i
    e = 0
    do i = 1, size(x) - 1
      if (abs(x(i + 1) - x(i)) < cutoff) e = e + (x(i + 1) - x(i))**2
    end do
  end function

  ! right
  subroutine smooth(x, y)
    double precision, intent(in) :: x(:)
    double precision, intent(out) :: y(:)
    integer :: i
    y(1) = x(1)
    y(size(x)) = x(size(x))
    do i = 2, size(x) - 1
      y(i) = 0.25d0 * x(i - 1) + 0.5d0 * x(i) + 0.25d0 * x(i + 1)
    end do
  end subroutine

  ! right: every second element of an array
  subroutine scaled(x, factor)
    double precision, intent(inout) :: x(:)
    double precision, intent(in) :: factor
    x = factor * x
  end subroutine

  ! fixme: an array that is not there when the call begins is no output, so this is not tested; it loses
  subroutine limited(q, w)
    double precision, intent(in) :: q(:, :)
    double precision, allocatable, intent(out) :: w(:)
    integer :: i
    allocate (w(size(q, 2)))
    do i = 1, size(q, 2)
      w(i) = 0
      if (sum(q(:, i)) > 0) w(i) = sum(q(:, i))
    end do
  end subroutine

  ! overflows: an array on the heap, given back
  subroutine normalised(n, x, y)
    integer, intent(in) :: n
    double precision, intent(in) :: x(n)
    double precision, intent(out) :: y(n)
    double precision, allocatable :: work(:)
    allocate (work(n + 3))
    work(1:n) = x * x
    y = x / sqrt(sum(work(1:n)))
    deallocate (work)
  end subroutine

  ! right: the status tells
  subroutine inverted(x, y, stat)
    double precision, intent(in) :: x(:)
    double precision, intent(out) :: y(:)
    integer, optional, intent(out) :: stat
    if (present(stat)) stat = 0
    if (any(.not. abs(x) < 1d300) .or. any(x == 0)) then
      y = 0
      if (present(stat)) stat = 1
      return
    end if
    y = 1 / x
  end subroutine

  ! right: on the standard output
  function printed(x) result(r)
    double precision, intent(in) :: x
    double precision :: r
    r = 2 * x
    if (.not. abs(x) < 1d300) then
      print *, 'no number'
      r = 0
    end if
  end function

  ! right: on the standard error
  function printed_apart(x) result(r)
    double precision, intent(in) :: x
    double precision :: r
    r = 2 * x
    if (.not. abs(x) < 1d300) then
      write (0, *) 'no number'
      r = 0
    end if
  end function

end module

program main
  use shapes
  implicit none
  double precision :: x(6) = [1, 2, 3, 4, 5, 6], y(6), z(3), q(2, 3), s
  double precision, allocatable :: w(:)
  type(grid) :: g
  integer :: stat
  g%n = 3
  g%h = 0.5d0
  g%u = [1d0, 2d0, 3d0]
  s = positive_part(g) + integral(g)
  s = s + largest_of(x) + mean_of(x) + energy(x, 2d0) + printed(1d0) + printed_apart(1d0)
  ! A call inside of a statement that prints.
  print *, largest_of(x(1:5:2))
  call smooth(x, y)
  call scaled(y(1:5:2), 2d0)
  q = reshape([.1d0, .2d0, .3d0, .4d0, .9d0, .8d0], [2, 3])
  call limited(q, w)
  call normalised(6, x, y)
  call inverted(x(1:3), z, stat)
  if (s + w(1) + z(1) + y(1) < 0) stop 1
end program
