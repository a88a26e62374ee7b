//! The machine code of an original library, read once: which site every instruction
//! came from, and for those that compute with floats, where operands and result are.

use crate::number::Integer;
use iced_x86::{Decoder, DecoderOptions, Instruction, Mnemonic, OpKind, Register};
use nanoscope_ieee::Format;
use nanoscope_program::{Action, Fault, Original, Site, SiteId, actions};
use object::{Object, ObjectSection, ObjectSymbol, SectionKind};

/// Addresses are the library's own: as linked, before it is loaded somewhere.
pub(crate) struct Text {
    /// From the first to after the last executable byte.
    pub(crate) start: u64,
    pub(crate) end: u64,
    /// Where `nanoscope_run` is, which tells where the library was loaded.
    pub(crate) run: u64,
    /// Sorted by address.
    pub(crate) operations: Vec<Operation>,
    /// The sites of operations and their places among them, sorted.
    by_site: Vec<(SiteId, u32)>,
    rows: Vec<Row>,
    sites: usize,
}

/// Instructions `start..end` came from one line.
struct Row {
    start: u64,
    end: u64,
    line: u32,
}

/// An instruction that computes with floats.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operation {
    pub(crate) address: u64,
    pub(crate) watch: Watch,
    /// Of the operands.
    pub(crate) format: Format,
    pub(crate) operands: [Place; 3],
    /// Of the result; none for a conversion to an integer.
    pub(crate) result_format: Format,
    pub(crate) result: Place,
    /// How many at once.
    pub(crate) lanes: u8,
    /// The byte that a breakpoint replaces.
    pub(crate) first_byte: u8,
    /// In bytes.
    pub(crate) length: u8,
    family: Family,
}

/// What kind of arithmetic an instruction does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Family {
    AddSubtract,
    Multiply,
    Divide,
    Fused,
    SquareRoot,
    Remainder,
    Convert,
    Other,
}

/// Whether a compiler makes such an instruction of such an operation. Moving code
/// around loses lines, and the line table then gives an instruction the line of the
/// one before it: what does not suit is not believed. (Doubling may be written as
/// an addition, division by a power of two as a multiplication.)
fn suits(action: Action, family: Family) -> bool {
    use Family as F;
    match action {
        Action::Add | Action::Sub => matches!(family, F::AddSubtract | F::Fused),
        Action::Mul => matches!(family, F::Multiply | F::AddSubtract | F::Fused),
        Action::Div => matches!(family, F::Divide | F::Multiply),
        Action::Fma => matches!(family, F::Fused | F::Multiply | F::AddSubtract),
        Action::Sqrt => family == F::SquareRoot,
        Action::Rem => family == F::Remainder,
        Action::Narrow { .. } | Action::ToInteger { .. } => family == F::Convert,
        // Some functions are replaced by arithmetic: pow(x, 2) by a multiplication.
        Action::Libm(_) => family != F::Convert,
        Action::Integer(_) => false,
    }
}

/// Whether an operation may be a call of a function.
fn may_call(action: Action) -> bool {
    match action {
        Action::Libm(_) | Action::Sqrt | Action::Rem | Action::Fma => true,
        actions!(Sum, Product) => false,
        Action::Narrow { .. } | Action::Integer(_) => false,
        Action::ToInteger { .. } => true, // lrint and its like
    }
}

/// Whether an instruction must be stopped at, because no trap tells what it did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Watch {
    /// No: hardware traps tell.
    None,
    /// A conversion: whether the value fits the C type, only the value tells.
    Conversion(Integer),
    /// x87 arithmetic: exceptions would be told late, at the next x87 instruction.
    X87,
}

/// Where a number is. Registers by their number in the processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    None,
    Vector(u8),
    Stack(u8),
    /// `base + index * scale + displacement`; a register number of 16 is none.
    Memory {
        base: u8,
        index: u8,
        scale: u8,
        displacement: u64,
        relative: bool,
    },
}

impl Text {
    pub(crate) fn read(original: &Original) -> Result<Text, Fault> {
        let path = original.library.display();
        let unreadable = |error: &dyn std::fmt::Display| {
            Fault::Internal(format!("cannot read the library {path}: {error}"))
        };
        let data = std::fs::read(&original.library).map_err(|error| unreadable(&error))?;
        let file = object::File::parse(&*data).map_err(|error| unreadable(&error))?;
        let run = file
            .dynamic_symbols()
            .find(|symbol| symbol.name() == Ok("nanoscope_run"))
            .ok_or_else(|| unreadable(&"it has no symbol nanoscope_run"))?
            .address();
        let mut text = Text {
            start: u64::MAX,
            end: 0,
            run,
            operations: Vec::new(),
            by_site: Vec::new(),
            rows: Vec::new(),
            sites: original.sites.len(),
        };
        let mut code = Vec::new();
        for section in file.sections() {
            if section.kind() != SectionKind::Text {
                continue;
            }
            let bytes = section.data().map_err(|error| unreadable(&error))?;
            text.start = text.start.min(section.address());
            text.end = text.end.max(section.address() + section.size());
            code.push((section.address(), bytes));
        }
        let lines =
            addr2line::Loader::new(&original.library).map_err(|error| unreadable(&error))?;
        let ranges =
            lines.find_location_range(text.start, text.end).map_err(|error| unreadable(&error))?;
        for (start, length, location) in ranges {
            if let Some(line) = location.line.filter(|line| *line > 0) {
                text.rows.push(Row { start, end: start + length, line });
            }
        }
        text.rows.sort_by_key(|row| row.start);
        for (address, bytes) in code {
            text.decode(address, bytes, &original.sites);
        }
        text.operations.sort_by_key(|operation| operation.address);
        text.by_site = (0..text.operations.len())
            .filter_map(|at| {
                let address = text.operations[at].address;
                Some((text.site_of_operation(address, &original.sites)?, at as u32))
            })
            .collect();
        text.by_site.sort_unstable();
        Ok(text)
    }

    /// The site that the instruction at `address` came from.
    fn site(&self, address: u64) -> Option<SiteId> {
        let after = self.rows.partition_point(|row| row.start <= address);
        let row = self.rows[..after].last().filter(|row| address < row.end)?;
        ((row.line as usize) <= self.sites).then(|| SiteId(row.line - 1))
    }

    /// The site that the arithmetic at `address` belongs to.
    pub(crate) fn site_of_operation(&self, address: u64, sites: &[Site]) -> Option<SiteId> {
        let found = self.operations.binary_search_by_key(&address, |operation| operation.address);
        let family = self.operations[found.ok()?].family;
        self.site(address).filter(|site| suits(sites[site.0 as usize].action, family))
    }

    /// The instructions of a site.
    pub(crate) fn operations_of(&self, site: SiteId) -> impl Iterator<Item = &Operation> {
        let first = self.by_site.partition_point(|(other, _)| *other < site);
        let own = self.by_site[first..].iter().take_while(move |(other, _)| *other == site);
        own.map(|(_, at)| &self.operations[*at as usize])
    }

    /// Whether the instruction at `address` is such as compilers make of such an operation.
    pub(crate) fn does(&self, address: u64, action: Action) -> bool {
        let found = self.operations.binary_search_by_key(&address, |operation| operation.address);
        found.is_ok_and(|at| suits(action, self.operations[at].family))
    }

    /// The site that the call around `address` belongs to.
    pub(crate) fn site_of_call(&self, address: u64, sites: &[Site]) -> Option<SiteId> {
        self.site(address).filter(|site| may_call(sites[site.0 as usize].action))
    }

    fn decode(&mut self, address: u64, bytes: &[u8], sites: &[Site]) {
        let mut subtracted = Subtracted::default();
        let mut decoder = Decoder::with_ip(64, bytes, address, DecoderOptions::NONE);
        while decoder.can_decode() {
            let instruction = decoder.decode();
            let site = self.site(instruction.ip());
            let conversion = site.and_then(|id| match sites[id.0 as usize].action {
                Action::ToInteger { bits, signed } => Some(Integer { bits, signed }),
                _ => None,
            });
            let second_half = subtracted.next(&instruction, site);
            let operation = float_conversion(&instruction, conversion, second_half)
                .or_else(|| vector_operation(&instruction))
                .or_else(|| stack_operation(&instruction, site.is_some()));
            if let Some(mut operation) = operation {
                operation.first_byte = bytes[(instruction.ip() - address) as usize];
                operation.length = instruction.len() as u8;
                self.operations.push(operation);
            }
        }
    }
}

/// Follows x86's way to convert to a 64-bit unsigned integer without AVX-512: once
/// as it is, once with 2^63 subtracted, and the right one of the two is kept. Only
/// the first shows the value that the program converts.
#[derive(Default)]
struct Subtracted {
    registers: u32,
    site: Option<SiteId>,
}

impl Subtracted {
    /// Takes note of an instruction; tells whether it converts a subtracted value.
    fn next(&mut self, instruction: &Instruction, site: Option<SiteId>) -> bool {
        if self.site != site {
            *self = Subtracted { registers: 0, site };
        }
        let number = |operand: u32| {
            let is_register = operand < instruction.op_count()
                && instruction.op_kind(operand) == OpKind::Register;
            let register = is_register.then(|| instruction.op_register(operand))?;
            register.is_vector_register().then(|| register.number() as u32 & 31)
        };
        let last = instruction.op_count().saturating_sub(1);
        let from_subtracted = number(last).is_some_and(|n| self.registers >> n & 1 == 1);
        if let Some(destination) = number(0) {
            use Mnemonic as M;
            const SUBTRACTIONS: [Mnemonic; 8] = [
                M::Subsd,
                M::Subss,
                M::Subpd,
                M::Subps,
                M::Vsubsd,
                M::Vsubss,
                M::Vsubpd,
                M::Vsubps,
            ];
            const COPIES: [Mnemonic; 4] = [M::Movaps, M::Movapd, M::Vmovaps, M::Vmovapd];
            let subtracts = SUBTRACTIONS.contains(&instruction.mnemonic());
            let copies = COPIES.contains(&instruction.mnemonic());
            self.registers &= !(1 << destination);
            if subtracts || copies && from_subtracted {
                self.registers |= 1 << destination;
            }
        }
        from_subtracted
    }
}

fn place(instruction: &Instruction, operand: u32) -> Place {
    let number = |register: Register| match register {
        Register::None => 16,
        _ => register.full_register().number() as u8,
    };
    if operand >= instruction.op_count() {
        return Place::None;
    }
    match instruction.op_kind(operand) {
        OpKind::Register => {
            let register = instruction.op_register(operand);
            if register.is_st() {
                Place::Stack(register.number() as u8)
            } else if register.is_vector_register() && register.number() < 16 {
                Place::Vector(register.number() as u8)
            } else {
                Place::None
            }
        }
        // Thread-local operands are left out: their base is not a general register.
        OpKind::Memory if !matches!(instruction.segment_prefix(), Register::FS | Register::GS) => {
            let relative = instruction.is_ip_rel_memory_operand();
            let base = if relative { Register::None } else { instruction.memory_base() };
            Place::Memory {
                base: number(base),
                index: number(instruction.memory_index()),
                scale: instruction.memory_index_scale() as u8,
                displacement: instruction.memory_displacement64(),
                relative,
            }
        }
        _ => Place::None,
    }
}

fn operation(instruction: &Instruction, format: Format, operands: [Place; 3]) -> Operation {
    Operation {
        address: instruction.ip(),
        watch: Watch::None,
        format,
        operands,
        result_format: format,
        result: place(instruction, 0),
        lanes: 1,
        first_byte: 0,
        length: 0,
        family: Family::Other,
    }
}

/// Conversions to integers that stand for a conversion of the program.
fn float_conversion(
    instruction: &Instruction,
    wanted: Option<Integer>,
    second_half: bool,
) -> Option<Operation> {
    use Mnemonic as M;
    let integer = wanted?;
    let wide = u8::try_from(instruction.memory_size().element_count()).unwrap_or(1).max(1);
    let (format, lanes) = match instruction.mnemonic() {
        M::Cvttsd2si | M::Cvtsd2si | M::Vcvttsd2si | M::Vcvtsd2si | M::Vcvttsd2usi => {
            (Format::BINARY64, 1)
        }
        M::Cvttss2si | M::Cvtss2si | M::Vcvttss2si | M::Vcvtss2si | M::Vcvttss2usi => {
            (Format::BINARY32, 1)
        }
        M::Cvttpd2dq | M::Vcvttpd2dq => (Format::BINARY64, packed(instruction, 8).max(wide)),
        M::Cvttps2dq | M::Vcvttps2dq => (Format::BINARY32, packed(instruction, 4).max(wide)),
        M::Fistp | M::Fist | M::Fisttp => (Format::X87, 1),
        _ => return None,
    };
    let mut found =
        operation(instruction, format, [place(instruction, 1), Place::None, Place::None]);
    found.result = Place::None;
    found.family = Family::Convert;
    found.lanes = lanes;
    let mut integer = integer;
    if format == Format::X87 {
        found.operands[0] = Place::Stack(0);
        // For an unsigned 64-bit result the compiler has subtracted 2^63 from values
        // that large before: what is left must be a non-negative signed number.
        if !integer.signed && integer.bits == 64 {
            integer.bits = 63;
        }
    }
    found.watch = if second_half { Watch::None } else { Watch::Conversion(integer) };
    Some(found)
}

/// Lanes of a full register of the last operand, in elements of `bytes`.
fn packed(instruction: &Instruction, bytes: usize) -> u8 {
    let last = instruction.op_count() - 1;
    let size = match instruction.op_kind(last) {
        OpKind::Register => instruction.op_register(last).size(),
        _ => 16,
    };
    (size / bytes) as u8
}

/// SSE, AVX and FMA arithmetic. iced's mnemonics are the manual's names, whose last
/// two letters are the lanes: scalar or packed, single or double.
fn vector_operation(instruction: &Instruction) -> Option<Operation> {
    let name = format!("{:?}", instruction.mnemonic()).to_lowercase();
    let vex = name.starts_with('v');
    let name = name.strip_prefix('v').unwrap_or(&name);
    let kinds = [
        ("add", Family::AddSubtract),
        ("sub", Family::AddSubtract),
        ("mul", Family::Multiply),
        ("div", Family::Divide),
        ("sqrt", Family::SquareRoot),
        ("fm", Family::Fused),
        ("fnm", Family::Fused),
        ("cvt", Family::Convert),
        ("min", Family::Other),
        ("max", Family::Other),
        ("round", Family::Other),
    ];
    let family = kinds.iter().find(|(kind, _)| name.starts_with(kind))?.1;
    let lane = |suffix: &str| match suffix {
        "sd" => Some((Format::BINARY64, false)),
        "ss" => Some((Format::BINARY32, false)),
        "pd" => Some((Format::BINARY64, true)),
        "ps" => Some((Format::BINARY32, true)),
        _ => None,
    };
    let (result_format, is_packed) = lane(name.get(name.len() - 2..)?)?;
    let format = match name.strip_prefix("cvt") {
        Some(rest) => lane(rest.get(..2)?)?.0, // from integers, nothing but inexact happens
        None => result_format,
    };
    let at = |operand| place(instruction, operand);
    let last = instruction.op_count() - 1;
    let unary = ["sqrt", "cvt", "round"].iter().any(|kind| name.starts_with(kind));
    let operands = if unary {
        let immediate = name.starts_with("round");
        [at(if immediate { last - 1 } else { last }), Place::None, Place::None]
    } else if name.starts_with('f') {
        [at(0), at(1), at(2)]
    } else if vex {
        [at(1), at(2), Place::None]
    } else {
        [at(0), at(1), Place::None]
    };
    let mut found = operation(instruction, format, operands);
    found.result_format = result_format;
    found.family = family;
    if is_packed {
        let widest = format.width().max(result_format.width()) as usize / 8;
        let size = instruction.op_register(0).size().max(16);
        found.lanes = (size / widest) as u8;
    }
    // The upper half of a 512-bit register is not in what we read of a signal frame.
    (found.lanes as usize * format.width() as usize <= 256).then_some(found)
}

/// x87 arithmetic of a site.
fn stack_operation(instruction: &Instruction, wanted: bool) -> Option<Operation> {
    use Mnemonic as M;
    let family = match instruction.mnemonic() {
        M::Fadd | M::Faddp | M::Fiadd | M::Fsub | M::Fsubp | M::Fisub => Family::AddSubtract,
        M::Fsubr | M::Fsubrp | M::Fisubr => Family::AddSubtract,
        M::Fmul | M::Fmulp | M::Fimul => Family::Multiply,
        M::Fdiv | M::Fdivp | M::Fidiv | M::Fdivr | M::Fdivrp | M::Fidivr => Family::Divide,
        M::Fsqrt => Family::SquareRoot,
        M::Fprem | M::Fprem1 => Family::Remainder,
        M::Fst | M::Fstp => Family::Convert,
        M::Fscale | M::F2xm1 | M::Fyl2x | M::Fyl2xp1 | M::Fptan | M::Fpatan => Family::Other,
        M::Fsin | M::Fcos | M::Fsincos => Family::Other,
        _ => return None,
    };
    let stores = family == Family::Convert;
    let memory = |operand| matches!(place(instruction, operand), Place::Memory { .. });
    let bytes = instruction.memory_size().size();
    // Stores that change the format round; those to registers or ten bytes do not.
    if !wanted || stores && !(memory(0) && bytes < 10) {
        return None;
    }
    let mut found =
        operation(instruction, Format::X87, [Place::Stack(0), Place::None, Place::None]);
    found.result = Place::Stack(0);
    found.family = family;
    if stores {
        found.result = place(instruction, 0);
        found.result_format = if bytes == 4 { Format::BINARY32 } else { Format::BINARY64 };
    } else {
        let other = (0..instruction.op_count())
            .map(|operand| place(instruction, operand))
            .find(|place| matches!(place, Place::Stack(1..)));
        found.operands[1] = other.unwrap_or(Place::None);
        if let Place::Stack(into @ 1..) = place(instruction, 0) {
            let pops = matches!(
                instruction.mnemonic(),
                M::Faddp | M::Fsubp | M::Fsubrp | M::Fmulp | M::Fdivp | M::Fdivrp
            );
            found.result = Place::Stack(into - u8::from(pops));
        }
    }
    found.watch = Watch::X87;
    Some(found)
}
