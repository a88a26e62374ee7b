//! The table of the mathematical library, and the machine's own copy of it.

mod machine;

/// Hands the table of C's mathematical library to the macro named by `$callback`.
///
/// The table has three groups. `real` are functions that approximate a real function; they are
/// the variants of [`Libm`](crate::Libm). `exact` are those whose result IEEE 754 or ISO C
/// defines to the last bit. `synonym` are other names of functions of the two. A row reads
///
/// ```text
/// Variant double single Signature Domain [Error ...] errno;
/// double Signature Domain [Error ...] errno;
/// other = double Signature Domain [Error ...] errno;
/// ```
///
/// with its documentation before it. `double` and `single` are C's names of the function for the
/// two formats. The [`Signature`](crate::libm::Signature) tells its parameters; the
/// [`Domain`](crate::libm::Domain), where it is defined and where its poles are. The errors are
/// those of its range: `Overflow`, `Underflow`, and `Vanishing` if a zero for arguments that are
/// not zero is an underflow too. `errno` is `sets` where glibc's function sets it, and `keeps`
/// where it does not.
///
/// The forms for `long double` have code of their own in glibc: what they return is not
/// known, and engines treat it as any number.
///
/// To add a function that approximates a real one, add its row. The compiler then asks for its
/// enclosure, for an inverse that guides search, and for its exact value in the shadow.
#[macro_export]
macro_rules! for_each_libm {
    ($callback:ident) => {
        $callback! {
            real {
                /// e to the power.
                Exp exp expf One All [Overflow Underflow Vanishing] sets;
                /// 2 to the power.
                Exp2 exp2 exp2f One All [Overflow Underflow Vanishing] sets;
                /// 10 to the power (glibc's).
                Exp10 exp10 exp10f One All [Overflow Underflow Vanishing] sets;
                /// e to the power, less one.
                Expm1 expm1 expm1f One All [Overflow Underflow] sets;
                /// The natural logarithm.
                Log log logf One Positive [] sets;
                /// The binary logarithm.
                Log2 log2 log2f One Positive [] sets;
                /// The decimal logarithm.
                Log10 log10 log10f One Positive [] sets;
                /// The natural logarithm of one more.
                Log1p log1p log1pf One AboveMinusOne [Underflow] sets;
                /// Sine.
                Sin sin sinf One Finite [Underflow] sets;
                /// Cosine.
                Cos cos cosf One Finite [] sets;
                /// Tangent.
                Tan tan tanf One Finite [Underflow] sets;
                /// Arc sine.
                Asin asin asinf One UnitClosed [Underflow] sets;
                /// Arc cosine.
                Acos acos acosf One UnitClosed [] sets;
                /// Arc tangent.
                Atan atan atanf One All [Underflow] keeps;
                /// The angle of the point (second, first).
                Atan2 atan2 atan2f Two All [Underflow Vanishing] keeps;
                /// Hyperbolic sine.
                Sinh sinh sinhf One All [Overflow Underflow] sets;
                /// Hyperbolic cosine.
                Cosh cosh coshf One All [Overflow] sets;
                /// Hyperbolic tangent.
                Tanh tanh tanhf One All [Underflow] keeps;
                /// Inverse hyperbolic sine.
                Asinh asinh asinhf One All [Underflow] keeps;
                /// Inverse hyperbolic cosine.
                Acosh acosh acoshf One AtLeastOne [] sets;
                /// Inverse hyperbolic tangent.
                Atanh atanh atanhf One UnitOpen [Underflow] sets;
                /// The cubic root.
                Cbrt cbrt cbrtf One All [] keeps;
                /// The first to the power of the second.
                Pow pow powf Two Power [Overflow Underflow Vanishing] sets;
                /// The length of the hypotenuse.
                Hypot hypot hypotf Two All [Overflow Underflow] sets;
                /// The error function.
                Erf erf erff One All [Underflow] keeps;
                /// One less the error function.
                Erfc erfc erfcf One All [Underflow Vanishing] keeps;
                /// The gamma function.
                Tgamma tgamma tgammaf One Gamma [Overflow Underflow Vanishing] sets;
                /// The logarithm of the gamma function's magnitude.
                Lgamma lgamma lgammaf One LogGamma [Overflow] sets;
                /// Bessel's function of the first kind and order 0 (POSIX).
                J0 j0 j0f One All [Underflow] keeps;
                /// Bessel's function of the first kind and order 1 (POSIX).
                J1 j1 j1f One All [Underflow] keeps;
                /// Bessel's function of the second kind and order 0 (POSIX).
                Y0 y0 y0f One Positive [Underflow] keeps;
                /// Bessel's function of the second kind and order 1 (POSIX).
                Y1 y1 y1f One Positive [Overflow Underflow] keeps;
            }
            exact {
                // Sites of `sqrt`, `fma` and `fmod` are the operations of that name: their
                // errors stand in the table of operations.
                /// Square root.
                sqrt One All [] sets;
                /// `x * y + z` rounded once.
                fma Three All [] keeps;
                /// The remainder of the truncated quotient.
                fmod Two All [] sets;
                /// The remainder of the nearest quotient.
                remainder Two Modulus [Underflow] sets;
                /// The same, with the quotient's last bits.
                remquo WithQuotient Modulus [Underflow] keeps;
                /// The positive difference.
                fdim Two All [Overflow Underflow] keeps;
                /// The greater of two.
                fmax Two All [] keeps;
                /// The lesser of two.
                fmin Two All [] keeps;
                /// The magnitude.
                fabs Pure All [] keeps;
                /// The magnitude of the first with the sign of the second.
                copysign Pure All [] keeps;
                /// The neighbour in the second's direction.
                nextafter Two All [Overflow Underflow] keeps;
                /// The same, the second a `long double`.
                nexttoward WithLongDouble All [Overflow Underflow] keeps;
                /// The integer below.
                floor One All [] keeps;
                /// The integer above.
                ceil One All [] keeps;
                /// The integer towards zero.
                trunc One All [] keeps;
                /// The nearest integer, ties away from zero.
                round One All [] keeps;
                /// The nearest integer, ties to even.
                roundeven One All [] keeps;
                /// The integer in the current direction.
                rint One All [] keeps;
                /// The same without inexact.
                nearbyint One All [] keeps;
                /// The integer in the current direction, as a `long`.
                lrint ToLong All [] keeps;
                /// The same as a `long long`.
                llrint ToLong All [] keeps;
                /// The nearest integer, ties away from zero, as a `long`.
                lround ToLong All [] keeps;
                /// The same as a `long long`.
                llround ToLong All [] keeps;
                /// The exponent as a float.
                logb One NonZero [] keeps;
                /// The exponent as an `int`.
                ilogb ToInt All [] keeps;
                /// Times a power of two.
                ldexp WithInt All [Overflow Underflow Vanishing] sets;
                /// Times a power of the radix.
                scalbn WithInt All [Overflow Underflow Vanishing] sets;
                /// The same with a `long`.
                scalbln WithLong All [Overflow Underflow Vanishing] sets;
                /// Times a power of the radix that is a float (XSI).
                scalb Two All [] keeps;
                /// The significand (BSD).
                significand One All [] keeps;
                /// Fraction and exponent.
                frexp Pure All [] keeps;
                /// Integral and fractional part.
                modf Pure All [] keeps;
                /// A NaN with a payload.
                nan Pure All [] keeps;
                /// Sine and cosine at once (GNU).
                sincos ToTwo Finite [] keeps;
                /// Bessel's function of the first kind (POSIX).
                jn IntFirst All [] keeps;
                /// Bessel's function of the second kind (POSIX).
                yn IntFirst All [] keeps;
            }
            synonym {
                /// An old name of `exp10`.
                pow10 = exp10 One All [Overflow Underflow Vanishing] keeps;
                /// An old name of `lgamma`.
                gamma = lgamma One LogGamma [Overflow] keeps;
                /// An old name of `remainder`.
                drem = remainder Two Modulus [Underflow] keeps;
            }
        }
    };
}

/// The parameters and the result of a function, `R` being its own type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Signature {
    /// `R (R)`
    One,
    /// `R (R, R)`
    Two,
    /// `R (R, R, R)`
    Three,
    /// `R (R, int)`
    WithInt,
    /// `R (R, long)`
    WithLong,
    /// `R (R, long double)`
    WithLongDouble,
    /// `R (int, R)`
    IntFirst,
    /// `R (R, R, int *)`
    WithQuotient,
    /// `int (R)`
    ToInt,
    /// `long (R)`, or `long long`
    ToLong,
    /// `void (R, R *, R *)`
    ToTwo,
    /// Of any parameters: a function that raises nothing (ISO C17 annex F).
    Pure,
}

impl Signature {
    /// How many parameters of its own type it begins with.
    pub const fn operands(self) -> usize {
        match self {
            Signature::IntFirst | Signature::Pure => 0,
            Signature::One | Signature::ToInt | Signature::ToLong | Signature::ToTwo => 1,
            Signature::WithInt | Signature::WithLong | Signature::WithLongDouble => 1,
            Signature::Two | Signature::WithQuotient => 2,
            Signature::Three => 3,
        }
    }
}

/// Where a function is defined, and where its poles are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Domain {
    /// Everywhere.
    All,
    /// At all finite arguments.
    Finite,
    /// At x >= 0, with a pole at 0.
    Positive,
    /// At x >= -1, with a pole at -1.
    AboveMinusOne,
    /// At |x| <= 1.
    UnitClosed,
    /// At |x| <= 1, with poles at the ends.
    UnitOpen,
    /// At x >= 1.
    AtLeastOne,
    /// Everywhere, with a pole at 0.
    NonZero,
    /// Everywhere but at the integers below 0, with a pole at 0.
    Gamma,
    /// Everywhere, with poles at the integers up to 0.
    LogGamma,
    /// `pow`: a negative base needs an integer exponent; a pole at 0 to a negative power.
    Power,
    /// `remainder`: a non-zero divisor and a finite dividend.
    Modulus,
}

/// The pattern of some domains of libm's functions, by where their poles are, or of those that hold
/// every number but poles.
#[macro_export]
macro_rules! domains {
    (WithoutPole) => {
        $crate::domains!(@ All Finite UnitClosed AtLeastOne Modulus)
    };
    (AtZero) => {
        $crate::domains!(@ Positive NonZero Gamma)
    };
    (AtOne) => {
        $crate::domains!(@ AboveMinusOne UnitOpen)
    };
    (EveryNumber) => {
        $crate::domains!(@ All NonZero LogGamma)
    };
    (@ $($Variant:ident)+) => {
        $($crate::libm::Domain::$Variant { .. })|+
    };
    ($First:ident, $($More:ident),+) => {
        $crate::domains!($First) | $crate::domains!($($More),+)
    };
}

/// An error of a function's range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RangeError {
    /// A finite argument can give a result too large.
    Overflow,
    /// An argument can give a non-zero result below the smallest normal number.
    Underflow,
    /// A zero result for non-zero arguments means that it underflowed.
    Vanishing,
}

/// A row of the table.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Function {
    /// Its name in the double form.
    pub name: &'static str,
    /// Its parameters and result.
    pub signature: Signature,
    /// Where it is defined.
    pub domain: Domain,
    /// The errors of its range.
    pub range_errors: &'static [RangeError],
    /// Whether glibc's function sets `errno`.
    pub sets_errno: bool,
}

macro_rules! sets_errno {
    (sets) => {
        true
    };
    (keeps) => {
        false
    };
}

macro_rules! define_libm {
    (
        real { $(
            $(#[$documentation:meta])*
            $Variant:ident $double:ident $single:ident $Shape:ident $Domain:ident [$($Error:ident)*] $errno:ident;
        )* }
        exact { $(
            $(#[$exact_documentation:meta])*
            $exact:ident $ExactShape:ident $ExactDomain:ident [$($ExactError:ident)*] $exact_errno:ident;
        )* }
        synonym { $(
            $(#[$other_documentation:meta])*
            $other:ident = $of:ident $OtherShape:ident $OtherDomain:ident [$($OtherError:ident)*] $other_errno:ident;
        )* }
    ) => {
        /// Functions of the machine's libm that approximate a real function, for binary32 and
        /// binary64, in the rounding mode to nearest. In SMT-LIB text they are `libm.exp` and
        /// so on, an extension.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Libm { $( $(#[$documentation])* $Variant, )* }

        impl Libm {
            /// Every function.
            pub const ALL: &'static [Libm] = &[$(Libm::$Variant),*];

            /// C's name of the function for doubles.
            pub const fn name(self) -> &'static str {
                match self { $( Libm::$Variant => stringify!($double), )* }
            }

            /// C's name of the function for singles.
            pub const fn single_name(self) -> &'static str {
                match self { $( Libm::$Variant => stringify!($single), )* }
            }

            /// How many arguments it takes.
            pub const fn arity(self) -> usize {
                match self { $( Libm::$Variant => Signature::$Shape.operands(), )* }
            }

            /// Where it is defined.
            pub const fn domain(self) -> Domain {
                match self { $( Libm::$Variant => Domain::$Domain, )* }
            }

            /// The function of that name for doubles, or of that synonym.
            pub fn from_name(name: &str) -> Option<Libm> {
                match name {
                    $( stringify!($double) => Some(Libm::$Variant), )*
                    $( stringify!($other) => Libm::from_name(stringify!($of)), )*
                    _ => None,
                }
            }
        }

        /// Every row of the table.
        pub static FUNCTIONS: &[Function] = &[
            $( Function {
                name: stringify!($double),
                signature: Signature::$Shape,
                domain: Domain::$Domain,
                range_errors: &[$(RangeError::$Error),*],
                sets_errno: sets_errno!($errno),
            }, )*
            $( Function {
                name: stringify!($exact),
                signature: Signature::$ExactShape,
                domain: Domain::$ExactDomain,
                range_errors: &[$(RangeError::$ExactError),*],
                sets_errno: sets_errno!($exact_errno),
            }, )*
            $( Function {
                name: stringify!($other),
                signature: Signature::$OtherShape,
                domain: Domain::$OtherDomain,
                range_errors: &[$(RangeError::$OtherError),*],
                sets_errno: sets_errno!($other_errno),
            }, )*
        ];
    };
}
for_each_libm!(define_libm);

impl Function {
    /// The row of this name (of the double form).
    pub fn named(name: &str) -> Option<&'static Function> {
        FUNCTIONS.iter().find(|function| function.name == name)
    }

    /// Whether it has this error.
    pub fn has(&self, error: RangeError) -> bool {
        self.range_errors.contains(&error)
    }
}

impl Libm {
    /// What the machine's libm gives for doubles. A function of one argument ignores the second.
    pub fn of_doubles(self, x: f64, y: f64) -> f64 {
        machine::bound(self).double.call(x, y)
    }

    /// What the machine's libm gives for singles. A function of one argument ignores the second.
    pub fn of_singles(self, x: f32, y: f32) -> f32 {
        machine::bound(self).single.call(x, y)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_there_once() {
        for (at, function) in FUNCTIONS.iter().enumerate() {
            let first = FUNCTIONS.iter().position(|other| other.name == function.name);
            assert_eq!(first, Some(at), "{} is there twice", function.name);
        }
        for function in Libm::ALL {
            assert_eq!(Libm::from_name(function.name()), Some(*function));
            assert_eq!(function.single_name(), format!("{}f", function.name()));
        }
    }

    #[test]
    fn a_synonym_has_the_errors_of_its_function() {
        for (other, name) in [("pow10", "exp10"), ("gamma", "lgamma"), ("drem", "remainder")] {
            let [other, function] = [other, name].map(|name| Function::named(name).expect("a row"));
            assert_eq!(other.domain, function.domain);
            assert_eq!(other.range_errors, function.range_errors);
            assert_eq!(other.signature, function.signature);
        }
    }

    /// The functions of ISO C11's `<math.h>` (7.12.4 to 7.12.13).
    #[test]
    fn c11_is_covered() {
        let names = "acos asin atan atan2 cos sin tan acosh asinh atanh cosh sinh tanh exp exp2 \
             expm1 frexp ilogb ldexp log log10 log1p log2 logb modf scalbn scalbln cbrt fabs hypot \
             pow sqrt erf erfc lgamma tgamma ceil floor nearbyint rint lrint llrint round lround \
             llround trunc fmod remainder remquo copysign nan nextafter nexttoward fdim fmax fmin fma";
        for name in names.split_whitespace() {
            assert!(Function::named(name).is_some(), "{name}");
        }
    }
}
