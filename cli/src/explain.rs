//! `nanoscope explain`.

use crate::arguments::Explain;
use nanoscope_cli::Fault;
use nanoscope_cli::output::print;
use nanoscope_report::Kind;

/// Prints what a kind of finding is, or lists the kinds.
pub fn run(arguments: &Explain) -> Result<(), Fault> {
    match &arguments.kind {
        None => print(&list()),
        Some(name) => match Kind::from_name(name) {
            Some(kind) => print(&kind.manual()),
            None => Err(Fault::User(format!(
                "there is no kind of finding named {name}\n\n{}",
                list().trim_end()
            ))),
        },
    }
}

fn list() -> String {
    let mut text = String::from("The kinds of finding:\n");
    for kind in Kind::ALL {
        text.push_str(&format!("  {:<24} {}\n", kind.name(), kind.explanation().title));
    }
    text.push_str("\n`nanoscope explain KIND` says more.\n");
    text
}
