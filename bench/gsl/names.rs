//! What the programs of `bench/gsl` call an operation.

use nanoscope_program::Site;
use std::collections::BTreeMap;

/// The sites' names: file, line, column, operation and which of several of that place.
pub fn names(sites: &[Site]) -> Vec<String> {
    let mut seen: BTreeMap<_, usize> = BTreeMap::new();
    let mut names = Vec::new();
    for site in sites {
        let times = seen.entry((&site.location, site.action.name())).or_default();
        *times += 1;
        let at = &site.location;
        names.push(format!("{}:{}:{} {} {times}", at.file, at.line, at.column, site.action.name()));
    }
    names
}
