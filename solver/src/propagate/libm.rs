//! Projections of libm's functions: monotone where the function is, enclosed
//! around the correctly rounded value.
//!
//! What the machine's libm returns is not known exactly. Its functions are
//! within a few units in the last place of the true value (glibc's worst here,
//! `cbrt`, is below four); the enclosures take [`ERROR`] on both sides.

use super::cases::{Cases, Narrowed};
use super::grid::Grid;
use super::interval::{FloatBox, Interval, Ordinal};
use super::monotone::{Monotone, Wanted};
use nanoscope_ieee::Format;
use nanoscope_term::Libm;

/// How many ulps a libm may be away from the correctly rounded value.
pub const ERROR: Ordinal = 8;

/// `z = f(x)` for a function of one argument. `None` for a contradiction.
pub fn unary(grid: Grid, function: Libm, [x]: [FloatBox; 1], z: FloatBox) -> Option<Narrowed<1>> {
    let Some(lane) = Lane::of(grid) else {
        return Some(Narrowed { arguments: [x], result: z });
    };
    let f = Enclosed { grid, function, lane, range: range(grid, function) };
    let mut cases = Cases::new([x], z);
    let (infinity, one, all) = (grid.infinity(), grid.one(), grid.numbers());
    let numbers = x.numbers;
    let mut on = |domain: Interval, falling: bool| {
        cases.monotone(&f, [numbers.meet(domain)], [falling]);
    };
    let valid = match function {
        Libm::Exp
        | Libm::Exp2
        | Libm::Expm1
        | Libm::Atan
        | Libm::Sinh
        | Libm::Tanh
        | Libm::Cbrt => {
            on(all, false);
            all
        }
        Libm::Log | Libm::Log2 | Libm::Log10 => {
            let domain = Interval::new(-1, infinity);
            on(domain, false);
            domain
        }
        Libm::Log1p => {
            let domain = Interval::new(!one, infinity);
            on(domain, false);
            domain
        }
        Libm::Asin | Libm::Acos => {
            let domain = Interval::new(!one, one);
            on(domain, function == Libm::Acos);
            domain
        }
        Libm::Cosh => {
            on(Interval::new(0, infinity), false);
            on(Interval::new(!infinity, -1), true);
            all
        }
        Libm::Sin | Libm::Cos | Libm::Tan => {
            // Not monotone: only the range is known.
            let domain = grid.finite();
            let result = z.numbers.meet(f.range);
            cases.add(Narrowed {
                arguments: [FloatBox { numbers: numbers.meet(domain), nan: false }],
                result: FloatBox { numbers: result, nan: false },
            });
            domain
        }
        Libm::Atan2 | Libm::Pow | Libm::Hypot => {
            unreachable!("{} takes two arguments", function.name())
        }
    };
    cases.invalid([numbers.meet(Interval::new(!infinity, valid.lo - 1))]);
    cases.invalid([numbers.meet(Interval::new(valid.hi + 1, infinity))]);
    cases.finish()
}

/// `z = f(x, y)` for a function of two arguments. `None` for a contradiction.
pub fn binary(
    grid: Grid,
    function: Libm,
    [x, y]: [FloatBox; 2],
    z: FloatBox,
) -> Option<Narrowed<2>> {
    let Some(lane) = Lane::of(grid) else {
        return Some(Narrowed { arguments: [x, y], result: z });
    };
    let f = Enclosed { grid, function, lane, range: range(grid, function) };
    let mut cases = Cases::none([x, y], z);
    let (infinity, one) = (grid.infinity(), grid.one());
    let (plus, minus) = (Interval::new(0, infinity), Interval::new(!infinity, -1));
    let in_range = FloatBox { numbers: z.numbers.meet(f.range), nan: z.nan };
    // With a NaN among the operands some of these functions still give a
    // number: any result in range is left possible.
    for (x, y) in [(x.meet(FloatBox::NAN), y), (x, y.meet(FloatBox::NAN))] {
        cases.add(Narrowed { arguments: [x, y], result: in_range });
    }
    let (xs, ys) = (x.numbers, y.numbers);
    match function {
        Libm::Hypot => {
            for (x_side, x_falls) in [(plus, false), (minus, true)] {
                for (y_side, y_falls) in [(plus, false), (minus, true)] {
                    cases.monotone(&f, [xs.meet(x_side), ys.meet(y_side)], [x_falls, y_falls]);
                }
            }
        }
        Libm::Pow => {
            for (bases, falls_in_y) in
                [(Interval::new(one, infinity), false), (Interval::new(0, one), true)]
            {
                for (exponents, falls_in_x) in [(plus, false), (minus, true)] {
                    let rectangle = [xs.meet(bases), ys.meet(exponents)];
                    cases.monotone(&f, rectangle, [falls_in_x, falls_in_y]);
                }
            }
            let negative = FloatBox { numbers: xs.meet(minus), nan: false };
            cases.add(Narrowed { arguments: [negative, y], result: z });
        }
        Libm::Atan2 => {
            let (x, y) = (x.without_nan(), y.without_nan());
            cases.add(Narrowed { arguments: [x, y], result: in_range.without_nan() });
        }
        Libm::Exp
        | Libm::Exp2
        | Libm::Expm1
        | Libm::Log
        | Libm::Log2
        | Libm::Log10
        | Libm::Log1p
        | Libm::Sin
        | Libm::Cos
        | Libm::Tan
        | Libm::Asin
        | Libm::Acos
        | Libm::Atan
        | Libm::Sinh
        | Libm::Cosh
        | Libm::Tanh
        | Libm::Cbrt => unreachable!("{} takes one argument", function.name()),
    }
    cases.finish()
}

/// The numbers that a function can give at all.
fn range(grid: Grid, function: Libm) -> Interval {
    let all = grid.numbers();
    let one = grid.one() + ERROR;
    // Four is above every angle that these functions give.
    let four = grid.one() + 2 * grid.min_normal();
    match function {
        Libm::Exp | Libm::Exp2 | Libm::Cosh | Libm::Hypot => Interval::new(0, all.hi),
        Libm::Acos => Interval::new(0, four),
        Libm::Sin | Libm::Cos | Libm::Tanh => Interval::new(!one, one),
        Libm::Expm1 => Interval::new(!one, all.hi),
        Libm::Asin | Libm::Atan | Libm::Atan2 => Interval::new(!four, four),
        Libm::Log
        | Libm::Log2
        | Libm::Log10
        | Libm::Log1p
        | Libm::Tan
        | Libm::Sinh
        | Libm::Cbrt
        | Libm::Pow => all,
    }
}

/// The formats that libm has.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lane {
    Double,
    Single,
}

impl Lane {
    fn of(grid: Grid) -> Option<Lane> {
        match grid.format() {
            Format::BINARY64 => Some(Lane::Double),
            Format::BINARY32 => Some(Lane::Single),
            Format { .. } => None,
        }
    }
}

/// The correctly rounded function, give or take [`ERROR`], within its range.
struct Enclosed {
    grid: Grid,
    function: Libm,
    lane: Lane,
    range: Interval,
}

impl Enclosed {
    fn rounded(&self, x: Ordinal, y: Ordinal) -> Ordinal {
        let bits = match self.lane {
            Lane::Double => {
                let at = |at| f64::from_bits(self.grid.encode(at) as u64);
                double(self.function, at(x), at(y)).to_bits() as u128
            }
            Lane::Single => {
                let at = |at| f32::from_bits(self.grid.encode(at) as u32);
                single(self.function, at(x), at(y)).to_bits() as u128
            }
        };
        self.grid.decode(bits).expect("the rectangles of a function exclude its NaNs")
    }

    fn lowest(&self, x: Ordinal, y: Ordinal) -> Ordinal {
        (self.rounded(x, y) - ERROR).clamp(self.range.lo, self.range.hi)
    }

    fn highest(&self, x: Ordinal, y: Ordinal) -> Ordinal {
        (self.rounded(x, y) + ERROR).clamp(self.range.lo, self.range.hi)
    }
}

impl Monotone<1> for Enclosed {
    fn least(&self, [x]: &[Ordinal; 1]) -> Ordinal {
        self.lowest(*x, 0)
    }

    fn greatest(&self, [x]: &[Ordinal; 1]) -> Ordinal {
        self.highest(*x, 0)
    }

    fn guess(&self, _: usize, _: &[Ordinal; 1], _: Wanted) -> Option<Ordinal> {
        None
    }
}

impl Monotone<2> for Enclosed {
    fn least(&self, [x, y]: &[Ordinal; 2]) -> Ordinal {
        self.lowest(*x, *y)
    }

    fn greatest(&self, [x, y]: &[Ordinal; 2]) -> Ordinal {
        self.highest(*x, *y)
    }

    fn guess(&self, _: usize, _: &[Ordinal; 2], _: Wanted) -> Option<Ordinal> {
        None
    }
}

macro_rules! correctly_rounded {
    ($name:ident, $float:ty, $($Variant:ident $unary:ident)*; $($Binary:ident $binary:ident)*) => {
        fn $name(function: Libm, x: $float, y: $float) -> $float {
            match function {
                $( Libm::$Variant => core_math::$unary(x), )*
                $( Libm::$Binary => core_math::$binary(x, y), )*
            }
        }
    };
}
correctly_rounded! {
    double, f64,
    Exp exp Exp2 exp2 Expm1 expm1 Log log Log2 log2 Log10 log10 Log1p log1p Sin sin Cos cos Tan tan
    Asin asin Acos acos Atan atan Sinh sinh Cosh cosh Tanh tanh Cbrt cbrt;
    Atan2 atan2 Pow pow Hypot hypot
}
correctly_rounded! {
    single, f32,
    Exp expf Exp2 exp2f Expm1 expm1f Log logf Log2 log2f Log10 log10f Log1p log1pf Sin sinf Cos cosf
    Tan tanf Asin asinf Acos acosf Atan atanf Sinh sinhf Cosh coshf Tanh tanhf Cbrt cbrtf;
    Atan2 atan2f Pow powf Hypot hypotf
}
