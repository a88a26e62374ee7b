//! Drawing terms: a pool of names of each sort, and every operation of the
//! door by its text.

use nanoscope_ieee::Format;

/// A sort as scripts name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SortText {
    Bool,
    Rounding,
    Bits(u32),
    Float(u32, u32),
    /// From bits of a width to bits of a width.
    BitsArray(u32, u32),
    /// From bits of a width to floats.
    FloatArray(u32, u32, u32),
    /// Indices, indices of rows, elements.
    Table(u32, u32, u32),
}

use SortText as S;

impl SortText {
    pub fn of_format(format: Format) -> SortText {
        S::Float(format.exponent_bits, format.width() - format.exponent_bits)
    }

    fn text(self) -> String {
        match self {
            S::Bool => "Bool".to_string(),
            S::Rounding => "RoundingMode".to_string(),
            S::Bits(width) => format!("(_ BitVec {width})"),
            S::Float(e, s) => format!("(_ FloatingPoint {e} {s})"),
            S::BitsArray(i, w) => format!("(Array (_ BitVec {i}) (_ BitVec {w}))"),
            S::FloatArray(i, e, s) => format!("(Array (_ BitVec {i}) (_ FloatingPoint {e} {s}))"),
            S::Table(i, j, w) => {
                format!("(Array (_ BitVec {i}) {})", S::BitsArray(j, w).text())
            }
        }
    }
}

/// A generator of terms.
pub struct Draw {
    state: u64,
    /// Declarations and definitions so far.
    pub preamble: String,
    pool: Vec<(String, SortText)>,
    functions: Vec<(String, Vec<SortText>, SortText)>,
    formats: Vec<(u32, u32)>,
    widths: Vec<u32>,
    definitions: usize,
}

impl Draw {
    pub fn new(seed: u64, formats: &[(u32, u32)]) -> Draw {
        let mut draw = Draw {
            state: seed,
            preamble: String::new(),
            pool: Vec::new(),
            functions: Vec::new(),
            formats: Vec::new(),
            widths: Vec::new(),
            definitions: 0,
        };
        for _ in 0..1 + draw.below(2) {
            let format = formats[draw.below(formats.len())];
            draw.formats.push(format);
        }
        let (e, s) = draw.formats[0];
        draw.widths = vec![1 + draw.below(9) as u32, e + s];
        draw
    }

    pub fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }

    fn format(&mut self) -> SortText {
        let formats = self.formats.clone();
        let (e, s) = self.of(&formats);
        S::Float(e, s)
    }

    fn width(&mut self) -> u32 {
        let widths = self.widths.clone();
        self.of(&widths)
    }

    fn declare_one(&mut self, name: String, sort: SortText) {
        self.preamble.push_str(&format!("(declare-const {name} {})\n", sort.text()));
        self.pool.push((name, sort));
    }

    /// Declares a few variables, and perhaps arrays and functions.
    pub fn declare(&mut self) {
        for number in 0..1 + self.below(3) {
            let sort = self.format();
            self.declare_one(format!("x{number}"), sort);
        }
        for number in 0..self.below(3) {
            let sort = S::Bits(self.width());
            self.declare_one(format!("b{number}"), sort);
        }
        if self.below(2) == 0 {
            self.declare_one("r".to_string(), S::Rounding);
        }
        if self.below(3) == 0 {
            self.declare_one("p".to_string(), S::Bool);
        }
        if self.below(3) == 0 {
            let (index, element) = (1 + self.below(4) as u32, self.width());
            let sort = match self.below(5) {
                0 | 1 => S::BitsArray(index, element),
                2 => S::Table(index, 1 + self.below(2) as u32, element),
                _ => {
                    let S::Float(e, s) = self.format() else { unreachable!("a format") };
                    S::FloatArray(index, e, s)
                }
            };
            for number in 0..1 + self.below(2) {
                self.declare_one(format!("a{number}"), sort);
            }
        }
        if self.below(4) == 0 {
            let mut domain = vec![self.format()];
            if self.below(2) == 0 {
                domain.push(S::Bits(self.width()));
            }
            let range = match self.below(3) {
                0 => S::Bool,
                1 => S::Bits(self.width()),
                _ => self.format(),
            };
            let texts: Vec<String> = domain.iter().map(|sort| sort.text()).collect();
            let texts = texts.join(" ");
            self.preamble.push_str(&format!("(declare-fun f ({texts}) {})\n", range.text()));
            self.functions.push(("f".to_string(), domain, range));
        }
    }

    /// Names one more term.
    pub fn define(&mut self) {
        let sort = match self.below(10) {
            0 | 1 => S::Bits(self.width()),
            2 => S::Bool,
            3 => {
                let arrays: Vec<SortText> = self.pool.iter().map(|(_, sort)| *sort).collect();
                let array = arrays.into_iter().find(|sort| {
                    matches!(sort, S::BitsArray(..) | S::FloatArray(..) | S::Table(..))
                });
                array.unwrap_or_else(|| self.format())
            }
            _ => self.format(),
        };
        let body = self.make(sort);
        let name = format!("t{}", self.definitions);
        self.definitions += 1;
        self.preamble.push_str(&format!("(define-fun {name} () {} {body})\n", sort.text()));
        self.pool.push((name, sort));
    }

    /// Something to assert.
    pub fn assertion(&mut self) -> String {
        let atom = self.truth();
        match self.below(6) {
            0 => format!("(or {atom} {})", self.truth()),
            1 => format!("(not {atom})"),
            2 => format!("(=> {} {atom})", self.truth()),
            _ => atom,
        }
    }

    /// A term at hand: something named, or a value.
    fn any(&mut self, sort: SortText) -> String {
        let fitting: Vec<usize> =
            (0..self.pool.len()).filter(|at| self.pool[*at].1 == sort).collect();
        if !fitting.is_empty() && self.below(5) != 0 {
            let at = self.of(&fitting);
            return self.pool[at].0.clone();
        }
        self.value(sort)
    }

    fn value(&mut self, sort: SortText) -> String {
        match sort {
            S::Bool => self.of(&["true", "false"]).to_string(),
            S::Rounding => self.mode_value(),
            S::Bits(width) => format!("#b{}", self.bits(width)),
            S::Float(e, s) => match self.below(8) {
                0 => format!("(_ {} {e} {s})", self.of(&["+oo", "-oo", "+zero", "-zero", "NaN"])),
                1 => {
                    let text = self.of(&["0.1", "1.5", "2.0", "0.3", "100.0", "(- 7.25)", "0.001"]);
                    let mode = self.mode_value();
                    format!("((_ to_fp {e} {s}) {mode} {text})")
                }
                _ => {
                    let bits = self.float_bits(sort);
                    let (sign, rest) = bits.split_at(1);
                    let (exponent, fraction) = rest.split_at(e as usize);
                    format!("(fp #b{sign} #b{exponent} #b{fraction})")
                }
            },
            S::BitsArray(_, width) => {
                let element = self.value(S::Bits(width));
                format!("((as const {}) {element})", sort.text())
            }
            S::FloatArray(_, e, s) => {
                let element = self.value(S::Float(e, s));
                format!("((as const {}) {element})", sort.text())
            }
            S::Table(_, index, width) => {
                let row = self.any(S::BitsArray(index, width));
                format!("((as const {}) {row})", sort.text())
            }
        }
    }

    fn bits(&mut self, width: u32) -> String {
        let (mut text, kind) = (String::new(), self.below(4));
        for _ in 0..width {
            let bit = match kind {
                0 => self.below(8) == 0,
                1 => self.below(8) != 0,
                _ => self.below(2) == 0,
            };
            text.push(if bit { '1' } else { '0' });
        }
        text
    }

    /// An encoding, often of a number near one.
    pub fn float_bits(&mut self, sort: SortText) -> String {
        let S::Float(e, s) = sort else { unreachable!("a float") };
        if e <= 4 || self.below(3) == 0 {
            return self.bits(e + s);
        }
        let bias = (1u64 << (e - 1)) - 1;
        let exponent = bias - 3 + self.below(7) as u64;
        let sign = self.below(2);
        format!("{sign}{exponent:0width$b}{}", self.bits(s - 1), width = e as usize)
    }

    fn mode_value(&mut self) -> String {
        self.of(&["RNE", "RNE", "RNA", "RTP", "RTN", "RTZ"]).to_string()
    }

    fn mode(&mut self) -> String {
        self.any(S::Rounding)
    }

    /// A term with a head.
    fn make(&mut self, sort: SortText) -> String {
        if self.below(8) == 0 {
            let (condition, then, otherwise) = (self.truth(), self.any(sort), self.any(sort));
            return format!("(ite {condition} {then} {otherwise})");
        }
        if self.below(3) == 0
            && let Some((name, domain, _)) =
                self.functions.iter().find(|(_, _, range)| *range == sort).cloned()
        {
            let args: Vec<String> = domain.iter().map(|sort| self.any(*sort)).collect();
            return format!("({name} {})", args.join(" "));
        }
        if self.below(2) == 0
            && let Some(read) = self.read(sort)
        {
            return read;
        }
        match sort {
            S::Bool => self.truth(),
            S::Rounding => self.mode(),
            S::Bits(width) => self.bits_term(width),
            S::Float(e, s) => self.float_term(e, s),
            S::BitsArray(index, width) => self.write(sort, S::Bits(index), S::Bits(width)),
            S::FloatArray(index, e, s) => self.write(sort, S::Bits(index), S::Float(e, s)),
            S::Table(index, row, width) => {
                self.write(sort, S::Bits(index), S::BitsArray(row, width))
            }
        }
    }

    fn read(&mut self, sort: SortText) -> Option<String> {
        let (name, index) = self.pool.iter().rev().find_map(|(name, array)| match array {
            S::BitsArray(index, width) if S::Bits(*width) == sort => Some((name.clone(), *index)),
            S::FloatArray(index, e, s) if S::Float(*e, *s) == sort => Some((name.clone(), *index)),
            S::Table(index, row, width) if S::BitsArray(*row, *width) == sort => {
                Some((name.clone(), *index))
            }
            S::Table(index, row, width) if S::Bits(*width) == sort => {
                Some((format!("(select {name} #b{})", "0".repeat(*index as usize)), *row))
            }
            S::Bool | S::Rounding | S::Bits(_) | S::Float(..) => None,
            S::BitsArray(..) | S::FloatArray(..) | S::Table(..) => None,
        })?;
        let at = self.bits_of(index);
        Some(format!("(select {name} {at})"))
    }

    fn write(&mut self, array: SortText, index: SortText, element: SortText) -> String {
        let S::Bits(width) = index else { unreachable!("an index") };
        let (to, at, what) = (self.any(array), self.bits_of(width), self.any(element));
        format!("(store {to} {at} {what})")
    }

    /// Bits of any width, cut or extended from what is at hand.
    fn bits_of(&mut self, width: u32) -> String {
        let own = self.width();
        if self.below(4) == 0 || own == width {
            return self.any(S::Bits(width));
        }
        let from = self.any(S::Bits(own));
        if own > width {
            let low = self.below((own - width + 1) as usize) as u32;
            format!("((_ extract {} {low}) {from})", low + width - 1)
        } else {
            let how = self.of(&["zero_extend", "sign_extend"]);
            format!("((_ {how} {}) {from})", width - own)
        }
    }

    fn bits_term(&mut self, width: u32) -> String {
        const BINARY: [&str; 20] = [
            "bvadd", "bvsub", "bvmul", "bvudiv", "bvurem", "bvsdiv", "bvsrem", "bvsmod", "bvand",
            "bvor", "bvxor", "bvnand", "bvnor", "bvxnor", "bvshl", "bvlshr", "bvashr", "bvadd",
            "bvsub", "bvxor",
        ];
        let sort = S::Bits(width);
        let (a, b) = (self.any(sort), self.any(sort));
        match self.below(12) {
            0..=4 => format!("({} {a} {b})", self.of(&BINARY)),
            5 => format!("({} {a})", self.of(&["bvnot", "bvneg"])),
            6 | 7 => {
                let (how, format, mode) =
                    (self.of(&["fp.to_ubv", "fp.to_sbv"]), self.format(), self.mode());
                format!("((_ {how} {width}) {mode} {})", self.any(format))
            }
            8 => {
                let (how, by) = (self.of(&["rotate_left", "rotate_right"]), self.below(9));
                format!("((_ {how} {by}) {a})")
            }
            9 if width > 1 => {
                let high = 1 + self.below(width as usize - 1) as u32;
                format!("(concat {} {})", self.bits_of(high), self.bits_of(width - high))
            }
            10 if width == 1 => {
                let sort = S::Bits(self.width());
                let (a, b) = (self.any(sort), self.any(sort));
                format!("(bvcomp {a} {b})")
            }
            _ => self.bits_of(width),
        }
    }

    fn float_term(&mut self, e: u32, s: u32) -> String {
        let sort = S::Float(e, s);
        let (a, b, c, mode) = (self.any(sort), self.any(sort), self.any(sort), self.mode());
        match self.below(22) {
            0..=2 => format!("(fp.add {mode} {a} {b})"),
            3 => format!("(fp.sub {mode} {a} {b})"),
            4..=6 => format!("(fp.mul {mode} {a} {b})"),
            7 | 8 => format!("(fp.div {mode} {a} {b})"),
            9 => format!("(fp.fma {mode} {a} {b} {c})"),
            10 => format!("(fp.sqrt {mode} {a})"),
            11 if e <= 5 => format!("(fp.rem {a} {b})"),
            12 => format!("(fp.roundToIntegral {mode} {a})"),
            13 => format!("({} {a} {b})", self.of(&["fp.min", "fp.max"])),
            14 => format!("({} {a})", self.of(&["fp.abs", "fp.neg"])),
            15 | 16 => {
                let other = self.format();
                format!("((_ to_fp {e} {s}) {mode} {})", self.any(other))
            }
            17 => {
                let width = self.width();
                format!("((_ to_fp {e} {s}) {mode} {})", self.any(S::Bits(width)))
            }
            18 => {
                let width = self.width();
                format!("((_ to_fp_unsigned {e} {s}) {mode} {})", self.any(S::Bits(width)))
            }
            19 => format!("((_ to_fp {e} {s}) {})", self.bits_of(e + s)),
            20 => {
                let (sign, exponent, rest) =
                    (self.bits_of(1), self.bits_of(e), self.bits_of(s - 1));
                format!("(fp {sign} {exponent} {rest})")
            }
            _ => format!("(fp.add {mode} {a} (fp.neg {b}))"),
        }
    }

    fn truth(&mut self) -> String {
        const CLASSES: [&str; 7] = [
            "isNaN",
            "isZero",
            "isInfinite",
            "isNormal",
            "isSubnormal",
            "isNegative",
            "isPositive",
        ];
        const ORDERS: [&str; 8] =
            ["bvult", "bvule", "bvugt", "bvuge", "bvslt", "bvsle", "bvsgt", "bvsge"];
        let sort = self.format();
        let (a, b) = (self.any(sort), self.any(sort));
        match self.below(18) {
            0..=5 => format!("({} {a} {b})", self.of(&["fp.leq", "fp.lt", "fp.gt", "fp.geq"])),
            6 => format!("(fp.eq {a} {b})"),
            7 => format!("(= {a} {b})"),
            8 => format!("(fp.lt {a} {b} {})", self.any(sort)),
            9 | 10 => format!("(fp.{} {a})", self.of(&CLASSES)),
            11 | 12 => {
                let sort = S::Bits(self.width());
                format!("({} {} {})", self.of(&ORDERS), self.any(sort), self.any(sort))
            }
            13 => {
                let sort = S::Bits(self.width());
                format!("({} {} {})", self.of(&["=", "distinct"]), self.any(sort), self.any(sort))
            }
            14 => {
                let (p, q) = (self.any(S::Bool), self.any(S::Bool));
                format!("({} {p} {q})", self.of(&["and", "or", "xor", "=", "=>"]))
            }
            15 => format!("(= {} {})", self.mode(), self.mode()),
            16 => {
                let arrays: Vec<SortText> = self.pool.iter().map(|(_, sort)| *sort).collect();
                let array = arrays.into_iter().find(|sort| {
                    matches!(sort, S::BitsArray(..) | S::FloatArray(..) | S::Table(..))
                });
                let Some(array) = array else { return format!("(distinct {a} {b})") };
                format!("(= {} {})", self.any(array), self.any(array))
            }
            _ => {
                let function =
                    self.functions.iter().find(|(_, _, range)| *range == S::Bool).cloned();
                let Some((name, domain, _)) = function else { return format!("(fp.leq {a} {b})") };
                let args: Vec<String> = domain.iter().map(|sort| self.any(*sort)).collect();
                format!("({name} {})", args.join(" "))
            }
        }
    }
}
