//! Prints `docs/findings.md`; `make docs` calls it.

fn main() {
    print!("{}", nanoscope_report::kinds::page());
}
