//! Targets: a function and its input space.

pub mod call;
pub mod callback;
pub mod containers;
pub mod declared;
pub mod extent;
pub mod fortran;
pub mod fortran_call;
pub mod greatest_offset;
pub mod handed_memory;
pub mod layout;
pub mod memory_use;
pub mod object;
pub mod parameter_use;
pub mod range;
pub mod scalar;
pub mod state;
pub mod symbolic;

use crate::goal::GoalId;
use call::Call;
use extent::Extent;
use fortran_call::FortranCall;
use scalar::Scalar;

/// A scalar leaf of a target's parameters.
#[derive(Clone, Debug)]
pub struct Input {
    /// As a person names it: `x`, `p->val`, `a[3]`.
    pub name: String,
    /// The C type's name, as the source has it.
    pub type_name: String,
    /// What it holds.
    pub scalar: Scalar,
    /// Its first word in the input vector (little end first for two).
    pub word: usize,
    /// Smallest admitted value, as an encoding of `scalar`.
    pub low: u128,
    /// Largest admitted value, as an encoding of `scalar`.
    pub high: u128,
    /// Whether infinities and NaN are admitted too (floats only).
    pub specials: bool,
}

/// A scalar that the target gives back: its result, or a leaf of memory it was handed.
#[derive(Clone, Debug)]
pub struct Output {
    /// As a person names it: `return`, `result->val`.
    pub name: String,
    /// What it holds.
    pub scalar: Scalar,
    /// Its first word in the output vector.
    pub word: usize,
}

/// A function with its input space.
#[derive(Clone, Debug)]
pub struct Target {
    /// The function's name, as the source has it.
    pub function: String,
    /// Its symbol.
    pub symbol: String,
    /// The file it is defined in.
    pub file: String,
    /// The line it starts on; 0 where that is not known.
    pub line: u32,
    /// Its number among the entries of the libraries: what `nanoscope_entry` is set to.
    pub entry: u32,
    /// Its inputs.
    pub inputs: Vec<Input>,
    /// Its outputs.
    pub outputs: Vec<Output>,
    /// Words in an input vector.
    pub input_words: usize,
    /// Words in an output vector.
    pub output_words: usize,
    /// The goals in code that it can reach.
    pub goals: Vec<GoalId>,
    /// The sides of branches in code that it can reach, numbered after all goals.
    pub edges: Vec<usize>,
    /// Numbers that code which it can reach compares or computes with, as binary64: those
    /// compared with first, without repetition.
    pub constants: Vec<f64>,
    /// How C calls it, where its declaration is known and can be written.
    pub call: Option<Call>,
    /// Positions of the inputs that were taken for lengths of arrays without being told.
    pub lengths: Vec<usize>,
    /// Arrays that it is given, of lengths that nobody told.
    pub arrays: Vec<Array>,
    /// How Fortran calls it, where it is written in Fortran and its arguments can be declared.
    pub fortran_call: Option<FortranCall>,
    /// What was assumed about its parameters without being told.
    pub assumptions: Vec<Assumption>,
    /// What in code that it can reach is not looked into, and where.
    pub gaps: Vec<Gap>,
}

/// An array that a parameter points to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Array {
    /// Its name.
    pub name: String,
    /// The parameter's number.
    pub parameter: usize,
    /// Bytes of an element.
    pub element: u64,
    /// How many elements it has.
    pub elements: u64,
}

/// Something that was assumed without being told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assumption {
    /// What, as a sentence without its point.
    pub text: String,
    /// The options that change it.
    pub options: &'static str,
}

/// Whether a name means a function as reports name it: a file before it may be left out, and what
/// [`is_short_for`] says.
pub fn is_the_same(name: &str, function: &str) -> bool {
    let bare = function.rsplit_once(':').map(|(_, bare)| bare);
    is_short_for(name, function) || bare.is_some_and(|bare| is_short_for(name, bare))
}

/// Whether a name is that of a function without some of its outermost scopes, and perhaps without
/// the arguments of a template: `f` and `a::f` are short for `n::a::f<int>`.
pub(crate) fn is_short_for(name: &str, full: &str) -> bool {
    let is_name = |one: &str| {
        let rest = one.strip_prefix(name);
        let is_operator = name.ends_with("operator");
        rest.is_some_and(|rest| {
            rest.is_empty() || (rest.starts_with('<') && rest.ends_with('>') && !is_operator)
        })
    };
    let mut depth = 0i32;
    let mut begins = vec![0];
    for (at, letter) in full.char_indices() {
        match letter {
            '<' => depth += 1,
            '>' => depth -= 1,
            ':' if depth == 0 && full[..at].ends_with(':') => begins.push(at + 1),
            _ => {}
        }
        if full[at..].starts_with("operator") {
            break; // what follows is no bracket
        }
    }
    !name.is_empty() && begins.into_iter().any(|begin| is_name(&full[begin..]))
}

#[cfg(test)]
mod tests {
    use super::is_short_for;

    #[test]
    fn scopes_and_template_arguments_may_be_left_out() {
        let full = "n::Pair<a::B, 2>::norm<a::B>";
        for name in [full, "norm", "norm<a::B>", "Pair<a::B, 2>::norm"] {
            assert!(is_short_for(name, full), "{name}");
        }
        for name in ["", "n", "orm", "nor", "B", "B>", "Pair::norm", "B, 2>::norm<a::B>"] {
            assert!(!is_short_for(name, full), "{name}");
        }
        assert!(is_short_for("operator<", "n::operator<"));
        assert!(is_short_for("A::operator>", "n::A::operator>"));
        assert!(!is_short_for("operator", "n::operator<=>"));
    }
}

/// Something that cannot be looked into.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Gap {
    /// Where it stands.
    pub location: crate::Location,
    /// What it is.
    pub what: String,
}

/// What the user says about inputs.
#[derive(Clone, Debug, Default)]
pub struct Wishes {
    /// Lengths of arrays behind pointers.
    pub arrays: Vec<Wish<Extent>>,
    /// Ranges of inputs, as the user wrote the two ends.
    pub ranges: Vec<Wish<(String, String)>>,
    /// The first so many ranges are about whoever has such an input; that nobody has is no
    /// mistake.
    pub shared_ranges: usize,
    /// What functions are that targets are given: `any`, `pure`, or a function's name.
    pub callbacks: Vec<Wish<String>>,
    /// Variables of the program that are inputs; their ranges are among the others'.
    pub globals: Vec<Wish<()>>,
    /// Whether infinities and NaN are inputs too.
    pub specials: bool,
}

/// A wish about a parameter or leaf by its name, of one function or of all.
#[derive(Clone, Debug)]
pub struct Wish<T> {
    /// The function meant; `None`: every function with such a parameter.
    pub function: Option<String>,
    /// The parameter's or leaf's name.
    pub name: String,
    /// What is wished.
    pub value: T,
}

impl<T> Wish<T> {
    /// Whether it is about this function.
    pub fn concerns(&self, function: &str) -> bool {
        self.function.as_deref().is_none_or(|name| is_the_same(name, function))
    }
}

/// A function whose parameters cannot be made.
#[derive(Clone, Debug)]
pub struct Untestable {
    /// Its name.
    pub function: String,
    /// The file it is defined in.
    pub file: String,
    /// The line it starts on.
    pub line: u32,
    /// What stands in the way, as the end of a sentence that begins with the function.
    pub why: String,
    /// The goals in code that it can reach.
    pub goals: Vec<GoalId>,
}
