! What flang leaves to its run-time besides arithmetic: objects, arrays, characters. Prints what each gives.
module objects
  use, intrinsic :: ieee_arithmetic
  implicit none
  type :: inner
    double precision, allocatable :: v(:)
    integer :: mark = 7
  end type
  type :: outer
    type(inner) :: parts(2)
    character(len=4) :: name = 'none'
    double precision, pointer :: p(:) => null()
    procedure(unary), pointer, nopass :: f => null()
    real :: weights(2,2) = reshape([1.0, 2.0, 3.0, 4.0], [2, 2])
    logical :: flag = .true.
    complex :: z = (1.0, 2.0)
  end type
  type, abstract :: figure
    double precision :: scale = 2d0
  contains
    procedure(measure), deferred :: area
  end type
  type, extends(figure) :: circle
    double precision :: r = 1d0
  contains
    procedure :: area => circle_area
  end type
  type, extends(circle) :: ring
    double precision :: hole = 0.5d0
  contains
    procedure :: area => ring_area
  end type
  abstract interface
    double precision function measure(self)
      import :: figure
      class(figure), intent(in) :: self
    end function
    double precision function unary(x)
      double precision, intent(in) :: x
    end function
  end interface
contains
  double precision function circle_area(self)
    class(circle), intent(in) :: self
    circle_area = self%scale * self%r**2
  end function
  double precision function ring_area(self)
    class(ring), intent(in) :: self
    ring_area = self%scale * (self%r**2 - self%hole**2)
  end function
  double precision function twice(x)
    double precision, intent(in) :: x
    twice = 2 * x
  end function
  subroutine show(text, x)
    character(len=*), intent(in) :: text
    double precision, intent(in) :: x(:)
    print *, text, size(x), x
  end subroutine
  double precision function total(x, n)
    integer, intent(in) :: n
    double precision, intent(inout) :: x(n)
    total = sum(x)
    x = x + 1
  end function
end module

program compare
  use objects
  implicit none
  integer :: seed, round
  seed = 12345
  do round = 1, 40
    call arrays(1 + mod(round, 5))
    call reductions(1 + mod(round, 4))
    call structures(1 + mod(round, 3))
    call texts(mod(round, 6))
    call pointers(2 + mod(round, 4))
  end do
contains
  double precision function random()
    seed = mod(seed * 1103 + 12345, 65536)
    random = (seed - 32768) / 64d0
    if (mod(seed, 23) == 0) random = ieee_value(1d0, ieee_quiet_nan)
    if (mod(seed, 29) == 0) random = ieee_value(1d0, ieee_positive_inf)
  end function
  subroutine fill(x)
    double precision, intent(out) :: x(:)
    integer :: i
    do i = 1, size(x)
      x(i) = random()
    end do
  end subroutine
  subroutine arrays(n)
    integer, intent(in) :: n
    double precision :: x(n), m(n,3)
    double precision, allocatable :: y(:), grown(:), w(:,:)
    logical :: chosen(n)
    integer :: i, shift(3), order(2)
    call fill(x)
    do i = 1, 3
      call fill(m(:,i))
    end do
    chosen = x > 0
    shift = [1, -2, n]
    order = [2, 1]
    y = pack(x, chosen)
    call show('pack', y)
    y = pack(x, chosen, [(dble(i), i = 1, n + 2)])
    call show('pack vector', y)
    call show('unpack', unpack([(dble(i), i = 1, n)], chosen, x))
    call show('cshift', cshift(x, n - 3))
    call show('eoshift', eoshift(x, 1))
    call show('eoshift boundary', eoshift(x, -1, boundary=9d0))
    w = cshift(m, shift)
    call show('cshift matrix', reshape(w, [3 * n]))
    w = cshift(m, 1, dim=2)
    call show('cshift along', reshape(w, [3 * n]))
    w = eoshift(m, 1, dim=1)
    call show('eoshift matrix', reshape(w, [3 * n]))
    w = spread(x, 1, 2)
    call show('spread', reshape(w, [2 * n]))
    w = spread(x, dim=2, ncopies=2)
    call show('spread 2', reshape(w, [2 * n]))
    w = reshape(x, [2, 3], pad=[0.5d0, 1.5d0], order=order)
    call show('reshape', reshape(w, [6]))
    w = transpose(m)
    call show('transpose', reshape(w, [3 * n]))
    grown = [(x(i), y(i), i = 1, n)]
    grown = [grown, x, 3d0]
    call show('constructor', grown)
    grown(2:n+1) = grown(1:n)
    call show('overlap', grown)
    grown(1:n+1) = grown(n+1:1:-1)
    call show('reversed', grown)
    call show('section', m(n:1:-1, 2))
    print *, total(grown(1:2*n:2), n), grown
    print *, shape(w), lbound(w), ubound(w), size(w, 2)
    i = n
    print *, transfer(x(1), 1_8), transfer([1.0, 2.0], 1d0), transfer(x, [1])
    print *, maxloc(x), minloc(x), maxloc(x, back=.true.), minloc(x, mask=chosen)
    print *, maxloc(m), minloc(m, dim=1), maxloc(m, dim=2, mask=m < 5d0), maxloc(m, dim=2, back=.true.)
    print *, maxloc(int(min(max(m, -1d3), 1d3))), minloc(real(m), 1)
  end subroutine
  subroutine reductions(n)
    integer, intent(in) :: n
    double precision :: m(n,3)
    real :: s(n,3)
    integer :: i, k(n,3)
    do i = 1, 3
      call fill(m(:,i))
    end do
    s = real(m)
    k = int(min(max(m, -10d0), 10d0))
    print *, sum(m, 1), sum(m, dim=2), sum(s, 1, mask=s > 0), sum(k, 2)
    print *, product(m, 1), product(s, 2), product(k, 1)
    print *, maxval(m, 1), maxval(s, 2, mask=s < 1), maxval(k, 2)
    print *, minval(m, 1), minval(s, 2), minval(k, 1)
    print *, any(m > 0, 1), all(m > -100, 2), count(m > 0, 1), count(m > 0, dim=2, kind=8)
    print *, matmul(k, transpose(k))
  end subroutine
  subroutine structures(n)
    integer, intent(in) :: n
    type(outer) :: a, b, several(2)
    type(outer), allocatable :: more(:)
    class(figure), allocatable :: s, t
    class(figure), pointer :: q
    double precision, allocatable :: moved(:), old(:)
    integer :: status
    print *, a%name, a%flag, a%z, a%weights, associated(a%p), allocated(a%parts(1)%v), associated(a%f)
    allocate(a%parts(1)%v(n))
    call fill(a%parts(1)%v)
    a%name = 'long name'
    a%f => twice
    b = a
    b%parts(1)%v(1) = -1d0
    call show('original', a%parts(1)%v)
    call show('copy', b%parts(1)%v)
    print *, b%name, b%f(3d0), allocated(b%parts(2)%v), b%parts%mark
    several = b
    several(1)%parts(1)%v(1) = -2d0
    print *, several(2)%parts(1)%v(1), several(1)%parts(1)%v(1)
    allocate(more(n), source=b)
    print *, size(more), more(n)%parts(1)%v, more(1)%name
    more = several
    print *, size(more), more(2)%parts(1)%v(1)
    deallocate(more)
    allocate(old(n:2*n))
    call fill(old)
    call move_alloc(old, moved)
    print *, allocated(old), lbound(moved), moved
    allocate(moved(3), stat=status)
    print *, status
    deallocate(moved)
    deallocate(moved, stat=status)
    print *, status
    if (n == 1) then
      allocate(circle :: s)
    else
      allocate(s, source=ring(r=3d0, hole=dble(n)))
    end if
    allocate(t, mold=s)
    print *, s%area(), t%scale, same_type_as(s, t), extends_type_of(s, t)
    select type (s)
    type is (circle)
      print *, 'circle', s%r
    class is (circle)
      print *, 'kind of circle', s%r
    end select
    t = s
    print *, t%area()
    deallocate(s)
    s = circle(scale=1d0, r=5d0)
    print *, s%area()
    allocate(ring :: q)
    print *, q%area()
    deallocate(q)
  end subroutine
  subroutine texts(n)
    integer, intent(in) :: n
    character(len=6) :: a, list(3)
    character(len=:), allocatable :: t
    a = repeat(' ', min(n, 2)) // 'ab' // achar(97 + n)
    list = ['one   ', ' two  ', '  six ']
    print *, '[', adjustl(a), ']', adjustr(a), ']', trim(a), ']', len_trim(a), len_trim(list)
    print *, '[', adjustl(list), ']', adjustr(list), ']'
    t = trim(a) // '-' // trim(adjustl(list(2)))
    print *, t, len(t), index(t, 'b'), index(t, '-', back=.true.), index(t, 'zz')
    print *, scan(a, 'bx'), verify(a, ' a'), scan(a, 'ab', back=.true.), verify(a, ' ', back=.true.)
    t = t // repeat('xy', n)
    print *, t, len(t), repeat('', 3), a < list(1), a == '  ab'
    t = 'fixed'
    print *, t, len(t)
  end subroutine
  subroutine pointers(n)
    integer, intent(in) :: n
    double precision, target :: x(2*n)
    double precision, pointer :: p(:), q(:), m(:,:), s
    call fill(x)
    p => x(::2)
    q => x(1:2*n:2)
    print *, associated(p), associated(p, q), associated(p, x), size(p), p
    q(0:) => x
    print *, lbound(q), ubound(q)
    m(1:2, 1:n) => x
    print *, shape(m), m(2, :)
    nullify(p)
    print *, associated(p)
    allocate(p(n), source=x(1:n))
    p = p + 1
    print *, p
    deallocate(p)
    allocate(s)
    s = 3d0
    print *, s, associated(s)
    deallocate(s)
  end subroutine
end program
