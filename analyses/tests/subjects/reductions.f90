! What the run-time of Fortran computes is asked about at the line of the call.
subroutine means(a, total, largest)
  real(8), intent(in) :: a(3)
  real(8), intent(out) :: total, largest
  total = sum(a) ! finds: overflow underflow invalid
  largest = maxval(a)
end subroutine
function bounded(a) result(r)
  real(8), intent(in) :: a(3)
  real(8) :: r
  r = 0
  if (any(abs(a) > 1d100)) return
  r = dot_product(a, a) ! finds: underflow
end function
