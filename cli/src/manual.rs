//! `nanoscope completions` and `nanoscope manual`: made from the definition of the command line.

use crate::arguments::{Arguments, Completions, Manual};
use clap::CommandFactory;
use nanoscope_cli::Fault;
use nanoscope_cli::output::{cannot, print};

/// Prints what a shell needs to complete the words of the command.
pub fn completions(arguments: &Completions) -> Result<(), Fault> {
    let mut text = Vec::new();
    clap_complete::generate(arguments.shell, &mut Arguments::command(), "nanoscope", &mut text);
    print(&String::from_utf8_lossy(&text))
}

/// Writes `nanoscope.1` and a page for each command.
pub fn pages(arguments: &Manual) -> Result<(), Fault> {
    let folder = &arguments.folder;
    std::fs::create_dir_all(folder)
        .and_then(|()| clap_mangen::generate_to(Arguments::command(), folder))
        .map_err(|error| cannot("write", folder, &error))
}
