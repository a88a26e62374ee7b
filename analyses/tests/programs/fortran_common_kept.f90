! expect: holds
subroutine accumulate(x)
  double precision :: x, total
  integer :: count
  common /state/ total, count
  if (abs(x) <= 1d0) then
    total = total + x
    count = count + 1
  end if
end subroutine
block data
  double precision :: total
  integer :: count
  common /state/ total, count
  data total, count /0d0, 0/
end block data
function main() bind(C, name="main") result(status)
  use iso_c_binding
  implicit none
  interface
    function nondet() bind(C, name="__VERIFIER_nondet_double")
      use iso_c_binding
      real(c_double) :: nondet
    end function
    subroutine error() bind(C, name="reach_error")
    end subroutine
  end interface
  integer(c_int) :: status
  double precision :: total
  integer :: count
  common /state/ total, count
  status = 0
  call accumulate(nondet())
  call accumulate(nondet())
  if (.not. abs(total) <= count) call error()
end function
