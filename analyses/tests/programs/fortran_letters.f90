! expect: error-call at 22
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
  integer(c_int) :: status
  integer :: n
  character(4) :: word
  status = 0
  n = nondet()
  word = 'ab'
  if (n == 3) word = 'abc'
  if (word < 'ab') call failed()
  if (word == 'ab  ') return
  if (word > 'abb') call failed()
end function
