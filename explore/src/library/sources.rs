//! The library's own C, and the headers that programs under exploration include.

use nanoscope_ieee::libm::Function;
use nanoscope_program::cxx::is_followed_template;

/// A file of the library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Source {
    /// Its name in the folder it is compiled in.
    pub name: &'static str,
    /// Its text.
    pub text: &'static str,
}

/// What the C files need to be compiled with: no loop of theirs may become a call of the very
/// function it is the body of.
pub const FLAGS: &[&str] = &["-ffreestanding", "-fno-builtin", "-std=c17", "-O0", "-w"];

/// Templates that libstdc++ has instances of, and programs therefore not: what instantiates them
/// for exploration.
const TEMPLATES: Source =
    Source { name: "templates.cpp", text: include_str!("../../library/templates.cpp") };

/// What these are compiled with.
pub const TEMPLATE_FLAGS: &[&str] = &["-O1", "-w", "-fno-vectorize", "-fno-slp-vectorize"];

/// What they call of the C library.
pub const TEMPLATES_NEED: &[&str] = &["memchr", "memcmp", "memcpy", "memmove", "memset", "strlen"];

/// The file of templates, where a program refers to one of their symbols.
pub fn templates(undefined: &[&str]) -> Option<Source> {
    undefined.iter().any(|name| is_followed_template(name)).then_some(TEMPLATES)
}

/// The headers for programs under exploration, by their path in an include folder.
pub const HEADERS: &[Source] =
    &[Source { name: "klee/klee.h", text: include_str!("../../include/klee/klee.h") }];

/// What every C file includes.
const SHARED: Source = Source { name: "library.h", text: include_str!("../../library/library.h") };

/// The C files, each with what it is part of.
pub(super) const BODIES: &[(&str, Source)] = &[
    ("`string.h`", Source { name: "string.c", text: include_str!("../../library/string.c") }),
    ("`ctype.h`", Source { name: "ctype.c", text: include_str!("../../library/ctype.c") }),
    ("`stdlib.h`", Source { name: "stdlib.c", text: include_str!("../../library/stdlib.c") }),
    ("`stdlib.h`", Source { name: "sort.c", text: include_str!("../../library/sort.c") }),
    ("`stdlib.h`", Source { name: "strtod.c", text: include_str!("../../library/strtod.c") }),
    ("`stdlib.h`", Source { name: "random.c", text: include_str!("../../library/random.c") }),
    ("`stdio.h`", Source { name: "output.c", text: include_str!("../../library/output.c") }),
    ("`stdio.h`", Source { name: "input.c", text: include_str!("../../library/input.c") }),
    (
        "`unistd.h`, `getopt.h`, `locale.h`, `langinfo.h`",
        Source { name: "host.c", text: include_str!("../../library/host.c") },
    ),
    ("C++", Source { name: "cxx.c", text: include_str!("../../library/cxx.c") }),
    ("C++", Source { name: "rtti.c", text: include_str!("../../library/rtti.c") }),
];

/// The functions of `math.h` with `errno`, which few programs look at.
const MATH_ERRNO: Source = Source { name: "errno.c", text: include_str!("../../library/errno.c") };

/// Whether `errno.c` has a body of a function, by its double form's name.
pub(super) fn sets_errno(name: &str) -> bool {
    Function::named(name).is_some_and(|function| function.sets_errno)
}

/// The files to write into a folder, and those among them to compile there with [`FLAGS`]
/// and link to a program that refers to these symbols without defining them. Nothing is to
/// be linked to a program that needs none of it.
pub fn sources(undefined: &[&str]) -> (Vec<Source>, Vec<Source>) {
    let bodies = bodies();
    let mut needed: Vec<Source> = Vec::new();
    if undefined.iter().any(|name| bodies.iter().any(|(_, body)| body == name))
        || undefined.iter().any(|name| DATA.contains(name))
    {
        needed.extend(BODIES.iter().map(|(_, source)| *source));
    }
    let sets = |name: &&str| sets_errno(super::stem(name));
    if undefined.contains(&"__errno_location") && undefined.iter().any(sets) {
        needed.push(MATH_ERRNO);
    }
    let mut written = needed.clone();
    written.push(SHARED);
    (written, needed)
}

/// The files that ask nothing of the explorer: every engine can follow them.
const SELF_CONTAINED: &[&str] = &["string.c", "ctype.c", "sort.c", "cxx.c", "rtti.c"];

/// As [`sources`], of the files that every engine can follow.
pub fn self_contained(undefined: &[&str]) -> (Vec<Source>, Vec<Source>) {
    let files = BODIES.iter().map(|(_, source)| *source);
    let needed: Vec<Source> = files
        .filter(|source| SELF_CONTAINED.contains(&source.name))
        .filter(|source| defined(source).any(|name| undefined.contains(&name)))
        .collect();
    let mut written = needed.clone();
    written.push(SHARED);
    (written, needed)
}

/// The variables that the library defines.
const DATA: [&str; 7] = ["stdin", "stdout", "stderr", "optarg", "optind", "opterr", "optopt"];

/// The functions that have a body here: the header, and the name.
pub fn bodies() -> Vec<(&'static str, String)> {
    let named = |(header, source): &(&'static str, Source)| {
        let header = *header;
        defined(source).map(move |name| (header, name.to_owned())).collect::<Vec<_>>()
    };
    BODIES.iter().flat_map(named).collect()
}

/// The functions that a file defines.
fn defined(source: &Source) -> impl Iterator<Item = &'static str> {
    source.text.lines().filter(|line| line.starts_with("LIBRARY ")).filter_map(|line| {
        let (before, _) = line.split_once('(')?;
        before.rsplit([' ', '*']).next()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use nanoscope_ieee::libm::FUNCTIONS;

    #[test]
    fn the_functions_that_set_errno_have_bodies_that_do() {
        for function in FUNCTIONS {
            let has_body = MATH_ERRNO.text.contains(&format!("({}, ending", function.name));
            assert_eq!(has_body, function.sets_errno, "{}", function.name);
        }
    }
}
