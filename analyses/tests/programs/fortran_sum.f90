! expect: holds
function main() bind(C, name="main") result(status)
  use iso_c_binding
  implicit none
  interface
    function nondet() bind(C, name="__VERIFIER_nondet_int")
      use iso_c_binding
      integer(c_int) :: nondet
    end function
    subroutine error() bind(C, name="reach_error")
    end subroutine
  end interface
  integer(c_int) :: status, i, n, total
  real(c_double) :: values(4)
  status = 0
  n = nondet()
  if (n < 1 .or. n > 4) return
  do i = 1, n
    values(i) = i
  end do
  total = 0
  do i = 1, n
    total = total + int(values(i))
  end do
  if (total /= n * (n + 1) / 2) call error()
end function
