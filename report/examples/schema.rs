//! Prints `docs/nanoscope-1.schema.json`; `make docs` calls it.

fn main() {
    print!("{}", nanoscope_report::schema());
}
