! expect: holds
function main() bind(C, name="main") result(status)
  use iso_c_binding
  implicit none
  interface
    function nondet() bind(C, name="__VERIFIER_nondet_int")
      use iso_c_binding
      integer(c_int) :: nondet
    end function
    subroutine failed() bind(C, name="__VERIFIER_error")
    end subroutine
  end interface
  integer(c_int) :: status, n
  real(8) :: a(3), m(2,2)
  n = nondet()
  status = 0
  if (n < 1 .or. n > 4) return
  a = [1d0, 2d0, 4d0] * n
  if (sum(a) /= 7 * n) call failed()
  if (maxval(a) /= 4 * n .or. minval(a) /= n) call failed()
  if (dot_product(a, a) /= 21 * n * n) call failed()
  m = reshape([1d0, 0d0, 0d0, 2d0], [2, 2])
  if (any(matmul(m, a(1:2)) /= [a(1), 2 * a(2)])) call failed()
  if (scale(a(1), 3) /= 8 * n .or. exponent(4d0) /= 3) call failed()
end function
