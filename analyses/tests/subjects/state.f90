! COMMON blocks and variables that are kept: state that may be an input.
function ratio(t) result(r)
  real(8), intent(in) :: t
  real(8) :: r, gx, gy
  common /state/ gx, gy
  r = 0
  if (t > 1 .and. t < 2 .and. gx > 1 .and. gx < 2) r = t / (gy - gx) ! finds: divide-by-zero
end function

function running(x) result(m)
  real(8), intent(in) :: x
  real(8) :: m
  real(8), save :: total = 0
  total = total + x ! finds: overflow
  m = total
end function
