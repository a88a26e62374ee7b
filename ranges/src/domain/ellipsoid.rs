//! Ellipsoids that the states of a recurrence do not leave, whichever of its matrices each round
//! takes. (Feret, "Static analysis of digital filters", 2004, for one matrix.)
//!
//! With `|p| = |R p|` for a triangular `R`, a step `p' = A p + w` has `|p'| <= r |p| + |w|` where `r`
//! bounds the Euclidean norm of `R A R^-1`. If all `r` are below 1, `|p|` stays below the greatest
//! of what it begins with and of `|w| / (1 - r)`. `R` is searched for with plain doubles, and may be
//! any; `r` is verified with intervals: `r^2 - B^T B` is positive definite for `B = R A R^-1`.

use crate::domain::linear_form::Bounds;
use crate::policy::{ELLIPSOID_TRIALS, MOST_ELLIPSOID_VARIABLES, MOST_WIDE_FACTORS};

const ZERO: Bounds = Bounds::only(0.0);
const ONE: Bounds = Bounds::only(1.0);

/// A matrix of intervals by rows.
pub type Matrix = Vec<Vec<Bounds>>;

/// A matrix of doubles by rows.
type Plain = Vec<Vec<f64>>;

/// A norm in which every matrix of a list contracts.
#[derive(Clone, Debug)]
pub struct Ellipsoid {
    /// The triangle `R`, and its inverse.
    triangle: Matrix,
    inverse: Matrix,
    /// By how much each matrix contracts.
    factors: Vec<f64>,
}

impl Ellipsoid {
    /// A norm in which all matrices contract, if one is found.
    pub fn of(matrices: &[&Matrix]) -> Option<Ellipsoid> {
        let size = matrices.first()?.len();
        if size > MOST_ELLIPSOID_VARIABLES {
            return None;
        }
        let corners: Option<Vec<Vec<Matrix>>> = matrices.iter().map(|it| corners(it)).collect();
        let corners = corners?;
        let plain: Vec<Plain> = corners.iter().flatten().map(middle).collect();
        // Each of them by itself must be stable.
        if plain.iter().any(|it| !is_stable(it)) {
            return None;
        }
        let triangle: Matrix = search(&plain, size)?
            .iter()
            .map(|row| row.iter().map(|item| Bounds::only(*item)).collect())
            .collect();
        let inverse = inverse(&triangle)?;
        let factor = |corners: &Vec<Matrix>| {
            let mut each = corners.iter().map(|it| contraction(it, &triangle, &inverse));
            each.try_fold(0.0, |most: f64, factor| Some(most.max(factor?)))
        };
        let factors: Option<Vec<f64>> = corners.iter().map(factor).collect();
        Some(Ellipsoid { factors: factors?, triangle, inverse })
    }

    /// An upper bound of the norm of a vector.
    pub fn norm(&self, vector: &[Bounds]) -> f64 {
        let image = self.triangle.iter().map(|row| dot(row, vector));
        length(image)
    }

    /// Bounds of a row times all vectors of at most a norm.
    pub fn observe(&self, row: &[Bounds], radius: f64) -> Bounds {
        let column = |at: usize| {
            let column: Vec<Bounds> = self.inverse.iter().map(|row| row[at]).collect();
            dot(row, &column)
        };
        let size = length((0..row.len()).map(column));
        let most = Bounds::only(size).times(Bounds::only(radius)).hi;
        Bounds::new(-most, most)
    }

    /// The radius that no state exceeds if each step adds at most so much, for each matrix.
    pub fn radius(&self, begin: f64, added: &[f64]) -> f64 {
        let limit = |(factor, added): (&f64, &f64)| {
            let rest = ONE.plus(Bounds::only(-factor));
            Bounds::only(*added).times(rest.reciprocal()).hi
        };
        self.factors.iter().zip(added).map(limit).fold(begin, f64::max)
    }
}

/// The matrices at the corners of a box of matrices: a norm is convex, so its greatest value is at
/// one of them. Factors that only rounding made intervals stay so.
fn corners(matrix: &Matrix) -> Option<Vec<Matrix>> {
    let mut corners = vec![matrix.clone()];
    let mut wide = 0;
    for (at, row) in matrix.iter().enumerate() {
        for (column, factor) in row.iter().enumerate().filter(|(_, factor)| is_wide(**factor)) {
            wide += 1;
            if wide > MOST_WIDE_FACTORS || !factor.is_finite() {
                return None;
            }
            let ends = |corner: &Matrix| {
                let mut pair = [corner.clone(), corner.clone()];
                pair[0][at][column] = Bounds::only(factor.lo);
                pair[1][at][column] = Bounds::only(factor.hi);
                pair
            };
            corners = corners.iter().flat_map(ends).collect();
        }
    }
    Some(corners)
}

/// Whether an interval is more than a number and its rounding.
pub fn is_wide(factor: Bounds) -> bool {
    factor.hi - factor.lo > factor.size() * 1e-9
}

fn middle(matrix: &Matrix) -> Plain {
    let middle = |row: &Vec<Bounds>| row.iter().map(|it| it.lo.midpoint(it.hi)).collect();
    matrix.iter().map(middle).collect()
}

fn dot(row: &[Bounds], column: &[Bounds]) -> Bounds {
    row.iter().zip(column).fold(ZERO, |all, (a, b)| all.plus(a.times(*b)))
}

/// An upper bound of the Euclidean length.
fn length(items: impl Iterator<Item = Bounds>) -> f64 {
    let square = |item: Bounds| Bounds::only(item.size()).times(Bounds::only(item.size()));
    items.map(square).fold(ZERO, Bounds::plus).hi.sqrt().next_up()
}

fn times(a: &Matrix, b: &Matrix) -> Matrix {
    let column = |at: usize| b.iter().map(|row| row[at]).collect::<Vec<Bounds>>();
    let columns: Vec<Vec<Bounds>> = (0..b.len()).map(column).collect();
    a.iter().map(|row| columns.iter().map(|column| dot(row, column)).collect()).collect()
}

/// The inverse of an upper triangle.
fn inverse(triangle: &Matrix) -> Option<Matrix> {
    let size = triangle.len();
    let mut inverse = vec![vec![ZERO; size]; size];
    let places = (0..size).flat_map(|column| (0..=column).rev().map(move |row| (row, column)));
    for (row, column) in places {
        let own = if row == column { ONE } else { ZERO };
        let others = (row + 1..=column)
            .map(|k| triangle[row][k].times(inverse[k][column]))
            .fold(own, |all, item| all.plus(item.negated()));
        inverse[row][column] = others.times(triangle[row][row].reciprocal());
    }
    inverse.iter().flatten().all(|item| item.is_finite()).then_some(inverse)
}

/// A bound below 1 of the norm of `R A R^-1`, verified.
fn contraction(matrix: &Matrix, triangle: &Matrix, inverse: &Matrix) -> Option<f64> {
    let moved = times(&times(triangle, matrix), inverse);
    let estimate = spectral_norm(&middle(&moved));
    let factor = estimate + (1.0 - estimate) * 1e-3 + 1e-12;
    let verified = |factor: f64| {
        let size = moved.len();
        let square = Bounds::only(factor).times(Bounds::only(factor));
        let column = |at: usize| moved.iter().map(|row| row[at]).collect::<Vec<Bounds>>();
        let columns: Vec<Vec<Bounds>> = (0..size).map(column).collect();
        let item = |i: usize, j: usize| {
            let own = if i == j { square } else { ZERO };
            own.plus(dot(&columns[i], &columns[j]).negated())
        };
        let rest = (0..size).map(|i| (0..size).map(|j| item(i, j)).collect()).collect();
        is_positive_definite(rest)
    };
    (factor < 1.0 && verified(factor)).then_some(factor)
}

/// Whether every symmetric matrix within is positive definite: all pivots are positive.
fn is_positive_definite(mut matrix: Matrix) -> bool {
    for pivot in 0..matrix.len() {
        let (above, below) = matrix.split_at_mut(pivot + 1);
        let first = &above[pivot];
        if first[pivot].lo.is_nan() || first[pivot].lo <= 0.0 {
            return false;
        }
        let reciprocal = first[pivot].reciprocal();
        for row in below {
            let factor = row[pivot].times(reciprocal);
            for (item, above) in row.iter_mut().zip(first).skip(pivot) {
                *item = item.plus(factor.times(*above).negated());
            }
        }
    }
    true
}

/// Whether the powers of a matrix vanish, as far as doubles can tell.
fn is_stable(matrix: &Plain) -> bool {
    let mut power = matrix.clone();
    for _ in 0..10 {
        let item = |row: &[f64], j: usize| row.iter().zip(&power).map(|(a, b)| a * b[j]).sum();
        power = power.iter().map(|row| (0..row.len()).map(|j| item(row, j)).collect()).collect();
    }
    power.iter().flatten().all(|item| item.abs() < 1.0)
}

/// A triangle in whose norm all matrices contract, as far as doubles can tell: the greatest norm is
/// lowered from one trial to the next.
fn search(matrices: &[Plain], size: usize) -> Option<Plain> {
    let mut best = vec![vec![0.0; size]; size];
    for (at, row) in best.iter_mut().enumerate() {
        row[at] = 1.0;
    }
    if let Some(start) = averaged(matrices, size) {
        best = start;
    }
    let mut least = greatest_norm(matrices, &best);
    let mut step = 0.5;
    let mut trials = 0;
    while step > 1e-4 && trials < ELLIPSOID_TRIALS && least >= 0.0 {
        let mut better = false;
        for (row, column) in (0..size).flat_map(|row| (row..size).map(move |column| (row, column)))
        {
            for sign in [1.0, -1.0] {
                let mut trial = best.clone();
                let scale = trial[row][row].abs().min(trial[column][column].abs());
                trial[row][column] += sign * step * scale;
                trials += 1;
                let norm = greatest_norm(matrices, &trial);
                if norm < least {
                    (best, least, better) = (trial, norm, true);
                }
            }
        }
        if !better {
            step /= 2.0;
        }
    }
    (least < 1.0).then_some(best)
}

/// The triangle of the sum of what all matrices make of the unit, round after round.
fn averaged(matrices: &[Plain], size: usize) -> Option<Plain> {
    let mut form: Plain = (0..size).map(|i| unit(size, i)).collect();
    for _ in 0..64 {
        let mut next: Plain = (0..size).map(|i| unit(size, i)).collect();
        for matrix in matrices {
            let share = 1.0 / matrices.len() as f64;
            for (i, j) in (0..size).flat_map(|i| (0..size).map(move |j| (i, j))) {
                for (k, l) in (0..size).flat_map(|k| (0..size).map(move |l| (k, l))) {
                    next[i][j] += share * matrix[k][i] * form[k][l] * matrix[l][j];
                }
            }
        }
        form = next;
    }
    triangle_of(&form)
}

fn unit(size: usize, at: usize) -> Vec<f64> {
    (0..size).map(|i| f64::from(u8::from(i == at))).collect()
}

/// The upper triangle whose square is a form (Cholesky).
fn triangle_of(form: &Plain) -> Option<Plain> {
    let size = form.len();
    let mut triangle = vec![vec![0.0; size]; size];
    for row in 0..size {
        let known = |i: usize, j: usize, triangle: &Plain| {
            form[i][j] - (0..row).map(|k| triangle[k][i] * triangle[k][j]).sum::<f64>()
        };
        let pivot = known(row, row, &triangle).sqrt();
        if !(pivot.is_finite() && pivot > 0.0) {
            return None;
        }
        triangle[row][row] = pivot;
        for column in row + 1..size {
            triangle[row][column] = known(row, column, &triangle) / pivot;
        }
    }
    Some(triangle)
}

/// The greatest norm of `R A R^-1`.
fn greatest_norm(matrices: &[Plain], triangle: &Plain) -> f64 {
    let size = triangle.len();
    let moved = |matrix: &Plain| {
        // X R = R A, by columns from the left.
        let mut image = vec![vec![0.0; size]; size];
        for row in 0..size {
            for column in 0..size {
                let product: f64 = (row..size).map(|k| triangle[row][k] * matrix[k][column]).sum();
                let known: f64 = (0..column).map(|k| image[row][k] * triangle[k][column]).sum();
                image[row][column] = (product - known) / triangle[column][column];
            }
        }
        image
    };
    matrices
        .iter()
        .map(|matrix| spectral_norm(&moved(matrix)))
        .fold(0.0, |a: f64, b| if b.is_nan() { f64::INFINITY } else { a.max(b) })
}

/// The Euclidean norm of a matrix, nearly: the root of the greatest eigenvalue of its square, by
/// squaring that.
fn spectral_norm(matrix: &Plain) -> f64 {
    let size = matrix.len();
    let square = |a: &Plain| -> Plain {
        let item = |i: usize, j: usize| a.iter().map(|row| row[i] * row[j]).sum();
        (0..size).map(|i| (0..size).map(|j| item(i, j)).collect()).collect()
    };
    let largest = |a: &Plain| a.iter().flatten().fold(0.0, |most: f64, item| most.max(item.abs()));
    let mut power = square(matrix);
    let (mut logarithm, mut weight) = (0.0, 0.5);
    for _ in 0..12 {
        let scale = largest(&power);
        if scale == 0.0 || !scale.is_finite() {
            return scale;
        }
        logarithm += weight * scale.ln();
        power.iter_mut().flatten().for_each(|item| *item /= scale);
        power = square(&power);
        weight /= 2.0;
    }
    logarithm.exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exact(rows: &[[f64; 2]]) -> Matrix {
        rows.iter().map(|row| row.iter().map(|item| Bounds::only(*item)).collect()).collect()
    }

    /// States of switched recurrences stay inside; nothing is found where they do not.
    #[test]
    fn states_stay_inside() {
        let resonator = |a: f64, b: f64| exact(&[[a, -b], [1.0, 0.0]]);
        let mut dice = crate::tests::Dice::new(4);
        for pair in [[(1.6, 0.8), (1.2, 0.5)], [(0.7, 0.6), (0.3, 0.4)], [(1.5, 0.7), (1.4, 0.6)]] {
            let matrices = pair.map(|(a, b)| resonator(a, b));
            let list: Vec<&Matrix> = matrices.iter().collect();
            let ellipsoid = Ellipsoid::of(&list).expect("a common ellipsoid");
            let input = ellipsoid.norm(&[ONE, ZERO]);
            let radius = ellipsoid.radius(0.0, &[input, input]);
            let bound = ellipsoid.observe(&[ONE, ZERO], radius);
            assert!(bound.hi < 100.0, "{bound:?}");
            let (mut s0, mut s1, mut most) = (0.0, 0.0, 0.0f64);
            for _ in 0..100_000 {
                let (a, b) = pair[dice.roll(2) as usize];
                let input = if dice.roll(4) == 0 { -1.0 } else { f64::signum(s1) };
                let s2 = a * s1 - b * s0 + input;
                (s0, s1) = (s1, s2);
                most = most.max(s1.abs());
            }
            assert!(most > 0.1 * bound.hi && most <= bound.hi, "{most} {bound:?}");
        }
        let apart = [resonator(1.9, 0.95), resonator(-1.9, 0.95)];
        assert!(Ellipsoid::of(&apart.iter().collect::<Vec<_>>()).is_none());
        let mut grows = resonator(0.9, 0.7);
        grows[0][0] = Bounds::new(0.9, 1.8);
        assert!(Ellipsoid::of(&[&grows]).is_none());
        grows[0][0] = Bounds::new(1.2, 1.4);
        assert!(Ellipsoid::of(&[&grows]).is_some());
    }
}
