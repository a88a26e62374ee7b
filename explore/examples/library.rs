//! Prints `docs/library.md`; `make docs` calls it.

fn main() {
    print!("{}", nanoscope_explore::library::page());
}
