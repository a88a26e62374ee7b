//! The product `x * y`.

use crate::floats::{Floats, Span, granularity};
use crate::grid::Grid;
use crate::image::{Image, ImageParts, SIGN_PAIRS, parts, pick, signs, zero};
use crate::interval::Ordinal;
use crate::modes::Modes;
use crate::project::{Cases, End, Left, Monotone, Wanted, cut_corners, for_quadrants, over_modes};
use crate::rounding_error;
use crate::scalar::{NEVER_NAN, Scalar};
use crate::set::Set;

/// What `x * y` gives; `same` says that they are one value.
pub fn direct(modes: Modes, x: &Floats, y: &Floats, same: bool) -> Image {
    let mut cases = ImageParts::new(x.format, modes);
    let grid = cases.grid;
    cases.nan_operand(&[x, y]);
    if !same {
        cases.invalid(x.has_zero() && y.has_infinity() || x.has_infinity() && y.has_zero());
    }
    for (a, a_negative) in signs(x) {
        for (b, b_negative) in signs(y) {
            let negative = a_negative != b_negative;
            if same && negative {
                continue;
            }
            let (a_infinite, a) = parts(grid, a);
            let (b_infinite, b) = parts(grid, b);
            if (a_infinite && (b_infinite || !b.is_empty()) && !same)
                || (b_infinite && !a.is_empty() && !same)
                || (same && a_infinite)
            {
                cases.infinite(negative);
            }
            let b = if same { a } else { b };
            if !a.is_empty() && !b.is_empty() {
                let (down, up) = cases.magnitudes(negative);
                cases.product(negative, down.mul(a.lo, b.lo), up.mul(a.hi, b.hi));
            }
        }
    }
    for (x_minus, y_minus, negative) in SIGN_PAIRS {
        if same && x_minus != y_minus {
            continue;
        }
        let finite = |span: Span| !parts(grid, span).1.is_empty();
        let product_is_zero = if same {
            zero(x, x_minus)
        } else {
            (zero(x, x_minus) && (zero(y, y_minus) || finite(pick(y, y_minus))))
                || (zero(y, y_minus) && finite(pick(x, x_minus)))
        };
        if product_is_zero {
            cases.zero(negative);
        }
    }
    let inexact = !rounding_error::scales_up(x) && !rounding_error::scales_up(y);
    cases.finish(inexact).of_multiples(granularity::of_product(x.coarsest(), y.coarsest()))
}

/// A bound of the rounding error of finite products.
pub fn error(modes: Modes, x: &Floats, y: &Floats) -> f64 {
    let (x, y) = (x.finite_part(), y.finite_part());
    let results = direct(modes, &x, &y, false).result;
    let scales = rounding_error::is_power_of_two(&x) || rounding_error::is_power_of_two(&y);
    let grain = rounding_error::grain(&x) + rounding_error::grain(&y);
    let exact = (scales && rounding_error::is_normal(&results))
        || rounding_error::is_exact(grain, &results);
    if exact { 0.0 } else { rounding_error::of_results(modes, &results) }
}

/// `z = x * y`, both ways.
pub fn narrow<S: Set>(grid: Grid, modes: Modes, [x, y]: [S; 2], z: S) -> Left<S, 2> {
    over_modes(modes, |mode| {
        let f = Product(Scalar::new(grid, mode));
        let mut cases = Cases::new(grid, [x, y], z);
        for_quadrants(&[x, y], grid, |x, y| {
            // Zero times infinity is NaN.
            let falling = [y.negative, x.negative];
            cut_corners(&mut cases, &f, [x, y], falling, |end| match end {
                End::Zero => End::Infinity,
                End::Infinity => End::Zero,
            });
        });
        cases.finish()
    })
}

/// `z = x * x`, both ways.
pub fn narrow_same<S: Set>(grid: Grid, modes: Modes, [x]: [S; 1], z: S) -> Left<S, 1> {
    over_modes(modes, |mode| {
        let scalar = Scalar::new(grid, mode);
        let mut cases = Cases::new(grid, [x], z);
        for negative in [false, true] {
            cases.monotone(&|x| scalar.mul(x, x), [x.side(negative)], [negative]);
        }
        cases.finish()
    })
}

struct Product(Scalar);

impl Monotone<2> for Product {
    fn least(&self, [x, y]: &[Ordinal; 2]) -> Ordinal {
        self.0.mul(*x, *y).expect(NEVER_NAN)
    }

    fn guess(&self, index: usize, at: &[Ordinal; 2], wanted: Wanted) -> Option<Ordinal> {
        let Scalar { grid, .. } = self.0;
        let other = grid.real(at[1 - index]);
        let quotient = || wanted.threshold(&self.0).over(other, grid.format().precision);
        (!other.is_zero()).then(|| wanted.place(grid, quotient()))
    }
}
