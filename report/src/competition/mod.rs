//! The conventions of the verification community: properties, witnesses and test suites as the
//! competitions on software verification and testing have them, and KLEE's test files.

mod ktest;
mod property;
mod sha256;
mod test_suite;
mod witness;
mod yaml;

pub use ktest::to_ktest;
pub use property::{Answer, Property, PropertyVerdict};
pub use test_suite::to_test_suite;
pub use witness::{NoWitness, to_witness};

/// What files say of how they came to be.
pub struct Origin<'a> {
    /// Seconds since 1970.
    pub created: u64,
    /// Reads a source file, as the report names it.
    pub read: &'a dyn Fn(&str) -> Option<Vec<u8>>,
}

impl Origin<'_> {
    /// The hash of a source file in hexadecimal.
    fn hash(&self, file: &str) -> Option<String> {
        (self.read)(file).map(|bytes| sha256::hexadecimal(&bytes))
    }

    /// The time as ISO 8601 has it: `2026-01-31T12:00:00Z`.
    fn time(&self) -> String {
        const DAY: u64 = 86_400;
        let (days, seconds) = (self.created / DAY, self.created % DAY);
        let (year, month, day) = date(days as i64);
        let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
        format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
    }
}

/// Year, month and day of a day since 1970, by the rule that years begin in March: leap days are
/// then at their end.
fn date(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::Origin;

    #[test]
    fn times() {
        for (created, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_767_225_599, "2025-12-31T23:59:59Z"),
        ] {
            assert_eq!(Origin { created, read: &|_| None }.time(), text);
        }
    }
}
