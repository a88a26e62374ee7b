//! The prototypes that come with Nanoscope.

/// The text of a collection: `blas`, …
pub fn shipped(name: &str) -> Option<&'static str> {
    COLLECTIONS.iter().find(|(own, _)| *own == name).map(|(_, text)| *text)
}

/// All collections: their names and texts.
pub const COLLECTIONS: &[(&str, &str)] = &[
    ("blas", include_str!("../../prototypes/blas.prototypes")),
    ("cblas", include_str!("../../prototypes/cblas.prototypes")),
    ("lapack", include_str!("../../prototypes/lapack.prototypes")),
    ("gsl", include_str!("../../prototypes/gsl.prototypes")),
    ("libm", include_str!("../../prototypes/libm.prototypes")),
];
