//! Regression tests in Fortran: they fail on the procedures they were written for, and pass once
//! these are mended.

use crate::support::Desk;
use std::process::Command;

/// Procedures of every kind that a test can call. `@` stands for how the sum of squares is made.
const SUBJECT: &str = "\
module geometry
  implicit none
  type point
    double precision :: x, y
  end type
contains
  double precision function length(p)
    type(point), intent(in) :: p
    length = @(p%x, p%y)
  end function
  subroutine double_all(v, total)
    real, intent(in) :: v(:)
    real, intent(out) :: total
    total = real(@(dble(v(1)), dble(v(2))))
  end subroutine
  double precision function by_squares(x, y)
    double precision, intent(in) :: x, y
    by_squares = sqrt(x*x + y*y)
  end function
end module

double precision function norm(a, n)
  use geometry
  integer, intent(in) :: n
  double precision, intent(in) :: a(n)
  integer :: i
  norm = 0
  do i = 1, n
    norm = @(norm, a(i))
  end do
end function
";

#[test]
fn tests_fail_before_and_pass_after() {
    let desk = Desk::new();
    desk.write("geometry.f90", SUBJECT.replace('@', "by_squares"));
    let words = ["exceptions", "geometry.f90", "--tests", "tests", "--time-limit", "60"];
    let functions = ["--function", "length", "--function", "norm", "--engines", "ranges,search"];
    // Squares may be too large; lengths are not.
    let ranges = ["p%x=-1e200..1e200", "p%y=-1e200..1e200", "a=-1e200..1e200"];
    let inputs = ranges.iter().flat_map(|range| ["--input", range]).collect::<Vec<_>>();
    let run = desk.run(&[&words[..], &functions, &inputs, &["--quick", "--quiet"]].concat());
    assert_eq!((run.code, run.stderr.as_str()), (1, ""));
    let folder = desk.path().join("tests");
    let mut written = 0;
    for entry in std::fs::read_dir(&folder).expect("tests were written").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        // What the sum of squares does is mended by HYPOT.
        let is_square = name.contains("fmul") && name.starts_with("overflow");
        if !name.ends_with(".f90") || !is_square {
            continue;
        }
        written += 1;
        let text = std::fs::read_to_string(entry.path()).expect("a test");
        for (made, code) in [("by_squares", 1), ("hypot", 0)] {
            desk.write("tests/subject.f90", SUBJECT.replace('@', made));
            let built = Command::new("flang-new-19")
                .args(["subject.f90", &name, "-o", "test"])
                .current_dir(&folder)
                .output()
                .expect("flang is there");
            let said = String::from_utf8_lossy(&built.stderr);
            assert!(built.status.success(), "{said}\n{text}");
            let ran = Command::new("./test").current_dir(&folder).output().expect("it runs");
            assert_eq!(ran.status.code(), Some(code), "{made}\n{text}");
        }
    }
    assert!(written >= 2, "{written} tests");
}
