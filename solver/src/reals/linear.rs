//! Linear inequalities over a cube: a point that satisfies them best, or a
//! combination of them that nothing in the cube satisfies.
//!
//! The simplex method runs in `double`s and may be wrong; a refutation is
//! believed only after its combination was recomputed with enclosed errors.

/// `slopes · x <= bound` for `x` in the cube [-1, 1]^n.
#[derive(Clone, Debug)]
pub(super) struct Inequality {
    pub(super) slopes: Vec<f64>,
    pub(super) bound: f64,
}

/// What came of a system.
pub(super) enum System {
    /// Nothing in the cube satisfies it.
    Infeasible,
    /// The point of the cube that satisfies it best, or nearly.
    Best(Vec<f64>),
}

const TOLERANCE: f64 = 1e-9;

/// Minimises the largest excess of the inequalities over the cube.
///
/// The dual: weights of the inequalities, adding up to one, such that
/// `sum(weight * bound) + sum(|sum(weight * slope)|)` is least. If that is
/// negative, the weighted sum of the inequalities fails everywhere.
pub(super) fn solve(system: &[Inequality], dimensions: usize) -> System {
    // Scaled, so that tolerances mean the same for all.
    let scaled: Vec<Inequality> = system
        .iter()
        .map(|row| {
            let size = row.slopes.iter().map(|slope| slope.abs()).fold(row.bound.abs(), f64::max);
            let scale = if size > 0.0 { 1.0 / size } else { 1.0 };
            Inequality {
                slopes: row.slopes.iter().map(|slope| slope * scale).collect(),
                bound: row.bound * scale,
            }
        })
        .collect();
    if scaled.is_empty() {
        return System::Best(vec![0.0; dimensions]);
    }
    let mut tableau = Tableau::new(&scaled, dimensions);
    for _ in 0..200 + 20 * (scaled.len() + dimensions) {
        if !tableau.pivot() {
            break;
        }
    }
    let weights = tableau.weights(scaled.len());
    if refutes(&scaled, &weights, dimensions) {
        return System::Infeasible;
    }
    System::Best(tableau.point(dimensions))
}

/// Whether the weighted sum of the inequalities fails on the whole cube.
fn refutes(system: &[Inequality], weights: &[f64], dimensions: usize) -> bool {
    // With exact arithmetic: every x of the cube has
    // sum(w * slopes) · x >= -sum |sum(w * slope)|, so if that exceeds
    // sum(w * bound), no x satisfies all. Errors of n products and sums are
    // below (n + 2) units of the sum of magnitudes; the scaling before, too.
    let weights: Vec<f64> = weights.iter().map(|weight| weight.max(0.0)).collect();
    let unit = f64::EPSILON * (system.len() as f64 + 8.0);
    let combine = |entry: &dyn Fn(&Inequality) -> f64| -> (f64, f64) {
        let (mut sum, mut size) = (0.0, 0.0);
        for (row, weight) in system.iter().zip(&weights) {
            let product = entry(row) * weight;
            sum += product;
            size += product.abs();
        }
        (sum, size * unit)
    };
    let (bound, mut error) = combine(&|row| row.bound);
    let mut reach = 0.0;
    for index in 0..dimensions {
        let (slope, more) = combine(&|row| row.slopes[index]);
        reach += slope.abs();
        error += more;
    }
    let total = bound + reach;
    total.is_finite()
        && total + 2.0 * error + unit * (reach + bound.abs()) + f64::MIN_POSITIVE < 0.0
}

/// The dual as a table: a row for each dimension and one for the sum of
/// weights; columns for weights, for the positive and the negative parts of
/// the weighted slopes, and the right-hand side.
struct Tableau {
    rows: Vec<Vec<f64>>,
    basis: Vec<usize>,
    costs: Vec<f64>,
    columns: usize,
    inequalities: usize,
}

impl Tableau {
    fn new(system: &[Inequality], dimensions: usize) -> Tableau {
        let inequalities = system.len();
        let columns = inequalities + 2 * dimensions;
        let mut rows = Vec::new();
        for index in 0..dimensions {
            // sum(weight * slope) - plus + minus = 0
            let mut row = vec![0.0; columns + 1];
            for (at, inequality) in system.iter().enumerate() {
                row[at] = inequality.slopes[index];
            }
            row[inequalities + 2 * index] = -1.0;
            row[inequalities + 2 * index + 1] = 1.0;
            rows.push(row);
        }
        let mut sum = vec![0.0; columns + 1];
        sum[..inequalities].fill(1.0);
        sum[columns] = 1.0;
        rows.push(sum);
        let mut costs = vec![1.0; columns + 1];
        for (at, inequality) in system.iter().enumerate() {
            costs[at] = inequality.bound;
        }
        costs[columns] = 0.0;
        let mut tableau =
            Tableau { rows, basis: vec![0; dimensions + 1], costs, columns, inequalities };
        // All weight on the first inequality is a start.
        tableau.enter(dimensions, 0);
        for index in 0..dimensions {
            let plus = inequalities + 2 * index;
            let negative = tableau.rows[index][columns] < 0.0;
            tableau.enter(index, if negative { plus } else { plus + 1 });
        }
        tableau
    }

    /// Makes a column the basis of a row.
    fn enter(&mut self, row: usize, column: usize) {
        let pivot = self.rows[row][column];
        self.rows[row].iter_mut().for_each(|entry| *entry /= pivot);
        let source = self.rows[row].clone();
        for (at, other) in self.rows.iter_mut().enumerate() {
            if at != row && other[column] != 0.0 {
                let factor = other[column];
                other.iter_mut().zip(&source).for_each(|(entry, own)| *entry -= factor * own);
            }
        }
        let factor = self.costs[column];
        if factor != 0.0 {
            self.costs.iter_mut().zip(&source).for_each(|(cost, own)| *cost -= factor * own);
        }
        self.basis[row] = column;
    }

    /// One step of the simplex method; whether there was one to make.
    fn pivot(&mut self) -> bool {
        let entering = (0..self.columns)
            .filter(|column| self.costs[*column] < -TOLERANCE)
            .min_by(|a, b| self.costs[*a].total_cmp(&self.costs[*b]));
        let Some(column) = entering else { return false };
        let leaving = (0..self.rows.len())
            .filter(|row| self.rows[*row][column] > TOLERANCE)
            .min_by(|a, b| {
                let ratio = |row: usize| self.rows[row][self.columns] / self.rows[row][column];
                ratio(*a).total_cmp(&ratio(*b)).then(self.basis[*a].cmp(&self.basis[*b]))
            });
        let Some(row) = leaving else { return false };
        self.enter(row, column);
        true
    }

    fn weights(&self, count: usize) -> Vec<f64> {
        let mut weights = vec![0.0; count];
        for (row, column) in self.basis.iter().enumerate() {
            if *column < count {
                weights[*column] = self.rows[row][self.columns];
            }
        }
        weights
    }

    /// The point whose excess is least: the prices of the rows. The reduced
    /// cost of a part of a weighted slope is 1 plus or minus its row's price.
    fn point(&self, dimensions: usize) -> Vec<f64> {
        (0..dimensions)
            .map(|index| {
                let plus = self.inequalities + 2 * index;
                // cost(plus) = 1 + price, cost(minus) = 1 - price
                let price = (self.costs[plus] - self.costs[plus + 1]) / 2.0;
                price.clamp(-1.0, 1.0)
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(slopes: &[f64], bound: f64) -> Inequality {
        Inequality { slopes: slopes.to_vec(), bound }
    }

    #[test]
    fn refutes_what_clashes_and_satisfies_the_rest() {
        // x + y <= -1 and x >= 1/4 and y >= 1/4.
        let clash = [row(&[1.0, 1.0], -1.0), row(&[-1.0, 0.0], -0.25), row(&[0.0, -1.0], -0.25)];
        assert!(matches!(solve(&clash, 2), System::Infeasible));
        let system = [row(&[1.0, 1.0], -0.5), row(&[-1.0, 0.0], 0.25), row(&[2.0, -1.0], 0.25)];
        let System::Best(point) = solve(&system, 2) else { panic!("it has solutions") };
        for inequality in &system {
            let value: f64 = inequality.slopes.iter().zip(&point).map(|(a, b)| a * b).sum();
            assert!(value <= inequality.bound + 1e-6, "{value} at {point:?}");
        }
    }
}
