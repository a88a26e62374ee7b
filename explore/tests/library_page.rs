//! The list of what is supported.

use nanoscope_explore::library;

#[test]
fn the_page_is_up_to_date() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/library.md");
    let written = std::fs::read_to_string(path).unwrap_or_default();
    assert!(written == library::page(), "docs/library.md is out of date: run `make docs`");
}

#[test]
fn what_our_own_c_calls_is_there() {
    // Everything that a C file declares or calls by the prefix has a model.
    for source in library::sources(&["strtod", "__errno_location", "sqrt"]).0 {
        for (at, _) in source.text.match_indices("nanoscope_") {
            let rest = &source.text[at..];
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            let name = &rest[..end.unwrap_or(rest.len())];
            // Names that a macro puts together end here; variables need no model.
            let is_variable = source.text.contains(&format!("static int {name};"));
            if name != "nanoscope_" && !is_variable {
                assert!(library::find(name).is_some(), "{name} in {}", source.name);
            }
        }
    }
}
