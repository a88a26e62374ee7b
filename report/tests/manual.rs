//! The kinds' documentation.

use nanoscope_report::{Kind, kinds, schema};

#[test]
fn the_schema_is_up_to_date() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/nanoscope-1.schema.json");
    let written = std::fs::read_to_string(path).unwrap_or_default();
    assert!(written == schema(), "docs/nanoscope-1.schema.json is out of date: run `make docs`");
}

#[test]
fn the_page_is_up_to_date() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/findings.md");
    let written = std::fs::read_to_string(path).unwrap_or_default();
    assert!(written == kinds::page(), "docs/findings.md is out of date: run `make docs`");
}

#[test]
fn every_kind_is_found_by_its_name_and_explained() {
    for &kind in Kind::ALL {
        assert_eq!(Kind::from_name(kind.name()), Some(kind));
        let manual = kind.manual();
        assert!(manual.starts_with(kind.name()), "{manual}");
        for line in manual.lines() {
            assert!(line.chars().count() <= 92, "too long for a terminal: {line}");
        }
    }
}

#[test]
fn a_manual() {
    insta::assert_snapshot!(Kind::Overflow.manual());
}
