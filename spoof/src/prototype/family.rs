//! Functions that differ only in the type of their numbers, described once: `{s,d,c,z}gesv`. Their letters
//! are those of BLAS and LAPACK.

use super::Kind;

/// A function of a family.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// `sgesv`.
    pub name: String,
    /// What `number` means in its prototype.
    pub kind: Kind,
    /// The bits of its reals, and of each part of its complex numbers.
    pub bits: u32,
}

/// The members that a name with braces stands for; none if it has no braces.
pub fn members(name: &str) -> Result<Vec<Member>, &'static str> {
    let Some((before, rest)) = name.split_once('{') else { return Ok(Vec::new()) };
    let Some((letters, after)) = rest.split_once('}') else { return Err("`}` is missing") };
    letters
        .split(',')
        .map(|letters| {
            let name = format!("{before}{letters}{after}");
            let (kind, bits) = type_of(letters)
                .ok_or("a family is told apart by s, d, c and z: `{s,d,c,z}gesv`")?;
            Ok(Member { name, kind, bits })
        })
        .collect()
}

/// `s` and `d` are real, `c` and `z` complex; with two letters (`sc`, `dz`, `cs`) the complex one counts.
fn type_of(letters: &str) -> Option<(Kind, u32)> {
    let letters = letters.to_ascii_lowercase();
    if !letters.chars().all(|letter| "sdcz".contains(letter)) {
        return None;
    }
    let main = letters.chars().max_by_key(|letter| "cz".contains(*letter))?;
    Some(match main {
        's' => (Kind::Real, 32),
        'd' => (Kind::Real, 64),
        'c' => (Kind::Complex, 32),
        _ => (Kind::Complex, 64),
    })
}
