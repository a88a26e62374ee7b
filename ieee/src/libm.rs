//! The table of the mathematical library, and the machine's own copy of it.

mod machine;

/// Hands the row of every function of the mathematical library that approximates a real function
/// to the macro named by `$callback`.
///
/// A row reads
///
/// ```text
/// Variant double single arity;
/// ```
///
/// with its documentation before it. `double` and `single` are C's names of the function for the
/// two formats.
#[macro_export]
macro_rules! for_each_libm {
    ($callback:ident) => {
        $callback! {
            /// e to the power.
            Exp exp expf 1;
            /// 2 to the power.
            Exp2 exp2 exp2f 1;
            /// e to the power, less one.
            Expm1 expm1 expm1f 1;
            /// The natural logarithm.
            Log log logf 1;
            /// The binary logarithm.
            Log2 log2 log2f 1;
            /// The decimal logarithm.
            Log10 log10 log10f 1;
            /// The natural logarithm of one more.
            Log1p log1p log1pf 1;
            /// Sine.
            Sin sin sinf 1;
            /// Cosine.
            Cos cos cosf 1;
            /// Tangent.
            Tan tan tanf 1;
            /// Arc sine.
            Asin asin asinf 1;
            /// Arc cosine.
            Acos acos acosf 1;
            /// Arc tangent.
            Atan atan atanf 1;
            /// The angle of the point (second, first).
            Atan2 atan2 atan2f 2;
            /// Hyperbolic sine.
            Sinh sinh sinhf 1;
            /// Hyperbolic cosine.
            Cosh cosh coshf 1;
            /// Hyperbolic tangent.
            Tanh tanh tanhf 1;
            /// The cubic root.
            Cbrt cbrt cbrtf 1;
            /// The first to the power of the second.
            Pow pow powf 2;
            /// The length of the hypotenuse.
            Hypot hypot hypotf 2;
        }
    };
}

macro_rules! define_libm {
    ($( $(#[$documentation:meta])* $Variant:ident $double:ident $single:ident $arity:literal; )*) => {
        /// Functions of the machine's libm, for binary32 and binary64, in the
        /// rounding mode to nearest. In SMT-LIB text they are `libm.exp` and
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
                match self { $( Libm::$Variant => $arity, )* }
            }

            /// The function of that name for doubles.
            pub fn from_name(name: &str) -> Option<Libm> {
                match name { $( stringify!($double) => Some(Libm::$Variant), )* _ => None }
            }
        }
    };
}
for_each_libm!(define_libm);

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
