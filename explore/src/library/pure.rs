//! Functions of the C library without effects but `errno` and flags: these may be called natively
//! whenever their arguments are known. All others may read or change the world.

use super::{ENDINGS, stem};
use nanoscope_ieee::Libm;

/// Functions of `math.h` that have no model, by the name of their double form.
const MATHEMATICAL: &[&str] = &[
    "j0",
    "j1",
    "jn",
    "y0",
    "y1",
    "yn",
    "exp10",
    "pow10",
    "llogb",
    "scalb",
    "sinpi",
    "cospi",
    "tanpi",
    "asinpi",
    "acospi",
    "atanpi",
    "atan2pi",
    "exp2m1",
    "exp10m1",
    "log2p1",
    "log10p1",
    "logp1",
    "rsqrt",
    "pown",
    "powr",
    "rootn",
    "compoundn",
    "fmaximum",
    "fminimum",
    "fmaximum_num",
    "fminimum_num",
    "fmaximum_mag",
    "fminimum_mag",
    "ufromfp",
    "ufromfpx",
    "fromfp",
    "fromfpx",
];

/// Others that only compute.
const OTHERS: &[&str] = &[
    "abs", "labs", "llabs", "imaxabs", "ffs", "ffsl", "ffsll", "toascii", "cabs", "carg", "cimag",
    "creal", "towlower", "towupper", "iswalpha", "iswdigit", "iswspace", "iswupper", "iswlower",
    "htonl", "htons", "ntohl", "ntohs",
];

/// Whether a function of the C library computes its result from its arguments alone.
pub fn is_pure(name: &str) -> bool {
    let form_of =
        |base: &&&str| name.strip_prefix(**base).is_some_and(|ending| ENDINGS.contains(&ending));
    OTHERS.contains(&name)
        || Libm::from_name(stem(name)).is_some()
        || MATHEMATICAL.iter().any(|base| form_of(&base))
}

#[cfg(test)]
mod tests {
    use super::is_pure;

    #[test]
    fn what_computes_and_what_has_effects() {
        for name in ["jn", "jnf", "jnl", "sinl", "expf128", "abs", "cabs", "y0"] {
            assert!(is_pure(name), "{name}");
        }
        for name in ["rand", "getenv", "system", "strlen", "signgam", "jnx", "j", "time"] {
            assert!(!is_pure(name), "{name}");
        }
    }
}
