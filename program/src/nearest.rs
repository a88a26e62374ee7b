//! The nearest name, for people who mistyped.

/// The name that takes the fewest changes from `name`, where that is few enough.
pub(crate) fn nearest<'a>(name: &str, among: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let budget = (name.len() / 3).clamp(1, 4);
    among
        .map(|other| (changes(name, other), other))
        .filter(|(n, _)| *n <= budget)
        .min()
        .map(|(_, other)| other)
}

/// Levenshtein's distance.
fn changes(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(row[j + 1] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_a_slip_of_the_finger() {
        let names = ["average_naive", "average_safe", "norm2"];
        assert_eq!(nearest("average_save", names.into_iter()), Some("average_safe"));
        assert_eq!(nearest("nrom2", names.into_iter()), None);
        assert_eq!(nearest("norm", names.into_iter()), Some("norm2"));
        assert_eq!(nearest("bessel", names.into_iter()), None);
    }
}
