//! Lengths of arrays as expressions over integers, from how far arrays were used.

/// How many elements an array has: coefficients and integers by their positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fitted {
    /// `times*at + more`.
    Linear { times: i64, at: usize, more: i64 },
    /// `a*b + more`.
    Product { a: usize, b: usize, more: i64 },
    /// `stride*(count - 1) + length + more`: columns of `length` elements, `stride` apart.
    Columns { stride: usize, count: usize, length: usize, more: i64 },
    /// `stride*(count - 1) + 1 + more`: elements that lie apart.
    Strided { stride: usize, count: usize, more: i64 },
    /// `at*(at + 1)/2 + more`: a triangle.
    Triangle { at: usize, more: i64 },
    /// `a + b + more`.
    Sum { a: usize, b: usize, more: i64 },
}

/// The fewest samples that tell anything.
const FEWEST: usize = 3;

/// The plainest expression that gives all these numbers of elements; those that nothing was used of
/// tell nothing. None where there is none, or nothing depends on an integer.
pub(super) fn fit(used: &[(&[i64], u64)]) -> Option<Fitted> {
    let told: Vec<(&[i64], i64)> = used
        .iter()
        .filter(|(_, count)| *count > 0)
        .map(|(values, count)| (*values, *count as i64))
        .collect();
    let (first, count) = told.first()?;
    if told.len() < FEWEST || told.iter().all(|(_, other)| other == count) {
        return None;
    }
    let fits = |candidate: &Fitted| told.iter().all(|(values, n)| candidate.at(values) == *n);
    candidates(first.len()).find(fits)
}

/// All expressions, the plainest first. What is added is 0, or one more for arrays whose first element
/// is not used.
fn candidates(integers: usize) -> impl Iterator<Item = Fitted> {
    let each = move || 0..integers;
    let pairs = move || each().flat_map(move |a| each().map(move |b| (a, b)));
    let shifts = [0, 1, -1, 2];
    let linear = [1, 2, 3].into_iter().flat_map(move |times| {
        each().flat_map(move |at| shifts.map(|more| Fitted::Linear { times, at, more }))
    });
    let product = pairs()
        .filter(|(a, b)| a <= b)
        .flat_map(move |(a, b)| [0, 1].map(|more| Fitted::Product { a, b, more }));
    let triangle = each().flat_map(|at| [0, 1].map(|more| Fitted::Triangle { at, more }));
    let sum = pairs()
        .filter(|(a, b)| a < b)
        .flat_map(move |(a, b)| shifts.map(|more| Fitted::Sum { a, b, more }));
    let strided = pairs()
        .filter(|(a, b)| a != b)
        .flat_map(|(stride, count)| [0, 1].map(|more| Fitted::Strided { stride, count, more }));
    let columns = pairs().filter(|(a, b)| a != b).flat_map(move |(stride, count)| {
        let lengths = each().filter(move |length| *length != stride);
        lengths.flat_map(move |length| {
            [0, 1].map(|more| Fitted::Columns { stride, count, length, more })
        })
    });
    linear.chain(product).chain(triangle).chain(sum).chain(strided).chain(columns)
}

impl Fitted {
    fn at(self, values: &[i64]) -> i64 {
        match self {
            Fitted::Linear { times, at, more } => times * values[at] + more,
            Fitted::Product { a, b, more } => values[a] * values[b] + more,
            Fitted::Columns { stride, count, length, more } => {
                values[stride] * (values[count] - 1) + values[length] + more
            }
            Fitted::Strided { stride, count, more } => {
                values[stride] * (values[count] - 1) + 1 + more
            }
            Fitted::Triangle { at, more } => values[at] * (values[at] + 1) / 2 + more,
            Fitted::Sum { a, b, more } => values[a] + values[b] + more,
        }
    }

    /// As C writes it.
    pub fn text(self, names: &[&str]) -> String {
        let name = |at: usize| names[at].trim_start_matches('*');
        let (text, more) = match self {
            Fitted::Linear { times: 1, at, more } => (name(at).to_owned(), more),
            Fitted::Linear { times, at, more } => (format!("{times}*{}", name(at)), more),
            Fitted::Product { a, b, more } => (format!("{}*{}", name(a), name(b)), more),
            Fitted::Columns { stride, count, length, more } => {
                (format!("{}*({} - 1) + {}", name(stride), name(count), name(length)), more)
            }
            Fitted::Strided { stride, count, more } => {
                (format!("{}*({} - 1)", name(stride), name(count)), more + 1)
            }
            Fitted::Triangle { at, more } => (format!("{0}*({0} + 1)/2", name(at)), more),
            Fitted::Sum { a, b, more } => (format!("{} + {}", name(a), name(b)), more),
        };
        match more {
            0 => text,
            1.. => format!("{text} + {more}"),
            _ => format!("{text} - {}", -more),
        }
    }

    /// Of columns: the integers that are their distance and their length.
    pub fn columns(self) -> Option<(usize, usize)> {
        match self {
            Fitted::Columns { stride, length, .. } => Some((stride, length)),
            Fitted::Linear { .. }
            | Fitted::Product { .. }
            | Fitted::Strided { .. }
            | Fitted::Triangle { .. }
            | Fitted::Sum { .. } => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::fit;

    fn check(names: &[&str], used: impl Fn(&[i64]) -> i64, expected: Option<&str>) {
        let mut all = vec![Vec::new()];
        for _ in names {
            let longer = all.iter().flat_map(|values: &Vec<i64>| {
                (0..=4).map(move |value| values.iter().copied().chain([value]).collect())
            });
            all = longer.collect();
        }
        let counts: Vec<(&[i64], u64)> =
            all.iter().map(|values| (values.as_slice(), used(values).max(0) as u64)).collect();
        let found = fit(&counts).map(|fitted| fitted.text(names));
        assert_eq!(found.as_deref(), expected);
    }

    #[test]
    fn lengths_are_told() {
        check(&["n"], |v| v[0], Some("n"));
        check(&["*n"], |v| if v[0] > 0 { v[0] + 1 } else { 0 }, Some("n + 1"));
        check(&["n"], |_| 4, None);
        check(&["n"], |v| v[0] * v[0] % 3, None);
        check(&["m", "n"], |v| v[0] * v[1], Some("m*n"));
        check(&["n"], |v| v[0] * (v[0] + 1) / 2, Some("n*(n + 1)/2"));
        let used = |v: &[i64]| if v[0] > 0 && v[1] > 0 { v[2] * (v[1] - 1) + v[0] } else { 0 };
        check(&["m", "n", "lda"], used, Some("lda*(n - 1) + m"));
        let used = |v: &[i64]| if v[0] > 0 { v[1] * (v[0] - 1) + 1 } else { 0 };
        check(&["n", "inc"], used, Some("inc*(n - 1) + 1"));
    }
}
