//! The C library, as far as programs under exploration see it.
//!
//! What a program calls and does not define is looked up by name in [`find`]. A model is a
//! function on a [`World`]: the state that calls it. Much of the library needs no model: its
//! bodies are C of our own (`explore/library/*.c`), compiled and linked to the program before
//! it is lowered; [`sources`] hands out their text. They reach the models here by the names
//! that begin with `nanoscope_`.
//!
//! - `world.rs`: what a model can see and do, and how it answers
//! - `heap.rs`, `math.rs`, `fenv.rs`, `process.rs`: headers of C
//! - `fortran.rs`: flang's run-time; `cxx.rs`: C++'s standard library
//! - `klee.rs`, `svcomp.rs`: the two interfaces for unknown input
//! - `inner.rs`: what our own C asks for; `decimal.rs`: floats as text
//! - `pure.rs`: which functions may be called natively
//! - `convert.rs`: small conversions that several models need
//! - `sources.rs`: our own C, and the headers for users
//! - `page.rs`: all of it as the page `docs/library.md`

mod convert;
mod cxx;
mod decimal;
mod fenv;
mod fortran;
mod heap;
mod inner;
mod klee;
mod math;
mod page;
mod process;
mod pure;
mod sources;
mod svcomp;
mod world;

pub use fenv::LOOKS_AT_FLAGS;
pub use page::page;
pub use pure::is_pure;
pub use sources::{
    FLAGS, HEADERS, Source, TEMPLATE_FLAGS, TEMPLATES_NEED, bodies, self_contained, sources,
    templates,
};
pub use world::{Call, Detour, Extent, Model, Unread, World};

use nanoscope_ieee::Libm;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// The model of a function, if there is one. An engine asks once a function.
pub fn find(name: &str) -> Option<Model> {
    static MODELS: LazyLock<BTreeMap<String, Model>> = LazyLock::new(|| {
        let mut models = BTreeMap::new();
        for (_, rows) in TABLE {
            for row in *rows {
                for name in row.names() {
                    models.insert(name, row.model);
                }
            }
        }
        for function in Libm::ALL {
            for name in forms(function.name()) {
                models.insert(name, math::libm as Model);
            }
        }
        // The names that our own C for `errno` knows models by.
        let plain: Vec<(String, Model)> = models
            .iter()
            .filter(|(name, _)| sources::sets_errno(stem(name)))
            .map(|(name, model)| (format!("nanoscope_{name}"), *model))
            .collect();
        models.extend(plain);
        models
    });
    MODELS.get(name).copied().or_else(|| svcomp::find(name)).or_else(|| cxx::find(name))
}

/// Whether the model of a function is that of the machine's libm, which is exact in two formats
/// and one rounding mode only.
pub fn is_modelled_libm(name: &str) -> bool {
    Libm::from_name(stem(name)).is_some()
}

/// A function and its model.
struct Row {
    name: &'static str,
    model: Model,
    /// Whether there is one for each type of float: `sin`, `sinf`, `sinl`, `sinf128` ...
    floats: bool,
    /// What a user may want to know.
    says: &'static str,
}

impl Row {
    const fn new(name: &'static str, model: Model, says: &'static str) -> Row {
        Row { name, model, floats: false, says }
    }

    const fn floats(name: &'static str, model: Model, says: &'static str) -> Row {
        Row { name, model, floats: true, says }
    }

    fn names(&self) -> Vec<String> {
        if self.floats { forms(self.name) } else { vec![self.name.to_owned()] }
    }
}

/// What is modelled, by what it belongs to.
const TABLE: &[(&str, &[Row])] = &[
    ("KLEE's interface", klee::ROWS),
    ("The competition's interface", svcomp::ROWS),
    ("Memory", heap::ROWS),
    ("`math.h`", math::ROWS),
    ("`fenv.h`", fenv::ROWS),
    ("Processes and clocks", process::ROWS),
    ("Fortran", fortran::ROWS),
    ("Inside", inner::ROWS),
];

/// What the forms of a function of `math.h` end in.
const ENDINGS: [&str; 8] = ["", "f", "l", "f32", "f64", "f32x", "f64x", "f128"];

fn forms(name: &str) -> Vec<String> {
    ENDINGS.iter().map(|ending| format!("{name}{ending}")).collect()
}

/// The double form's name of a function of `math.h`, of ours too.
fn stem(name: &str) -> &str {
    let name = name.strip_prefix("nanoscope_").unwrap_or(name);
    let known = |stem: &str| {
        Libm::from_name(stem).is_some() || math::ROWS.iter().any(|row| row.name == stem)
    };
    ENDINGS
        .iter()
        .filter_map(|ending| name.strip_suffix(ending))
        .find(|stem| known(stem))
        .unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_there_once() {
        let mut seen = std::collections::BTreeSet::new();
        for (_, rows) in TABLE {
            for row in *rows {
                for name in row.names() {
                    assert!(find(&name).is_some(), "{name}");
                    assert!(seen.insert(name.clone()), "{name} twice");
                }
            }
        }
        for (_, name) in bodies() {
            assert!(seen.insert(name.clone()), "{name} has a body and a model");
        }
    }

    #[test]
    fn forms_lead_back_to_their_stem() {
        let check = |name: &str, expected: &str| assert_eq!(stem(name), expected, "{name}");
        check("sinf", "sin");
        check("erf", "erf");
        check("erff", "erf");
        check("modf", "modf");
        check("modff", "modf");
        check("floorl", "floor");
        check("ceil", "ceil");
        check("nanoscope_expf128", "exp");
    }
}
