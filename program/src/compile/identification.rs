//! Which LLVM wrote a bitcode file, and whether the file is whole.
//!
//! LLVM 19 reads what it or an older one wrote; of a newer one's it says "Unknown
//! attribute kind (91)". Here the file's identification block is read (LLVM Bitcode
//! File Format, "IDENTIFICATION_BLOCK Contents") to say what to do instead.

/// The LLVM that Nanoscope is built on.
const OURS: u32 = 19;

const IDENTIFICATION_BLOCK: u64 = 13;
const MODULE_BLOCK: u64 = 8;
const STRING_RECORD: u64 = 1;
const EPOCH_RECORD: u64 = 2;

/// What is wrong with it, to go behind the file's name.
pub(super) fn check(file: &[u8]) -> Result<(), String> {
    let stream =
        unwrap(file).ok_or("is cut off: its wrapper speaks of more bytes than there are")?;
    let mut bits = Bits { bytes: stream, position: 32 };
    let mut modules = 0;
    while bits.left() >= 32 {
        let block = bits.enter_block(2).ok_or("is broken: no block where one has to begin")?;
        let body = bits.position;
        let end = body + block.words * 32;
        if end > stream.len() * 8 {
            return Err("is cut off: a block goes on past the end of the file".to_owned());
        }
        match block.id {
            IDENTIFICATION_BLOCK => {
                let who = read_identification(&mut bits, block.width, end)
                    .ok_or("is broken: its identification block cannot be read")?;
                judge(&who)?;
            }
            MODULE_BLOCK => modules += 1,
            // Symbol tables and string tables.
            _ => {}
        }
        bits.position = end;
    }
    if modules == 0 { Err("is broken: it holds no module".to_owned()) } else { Ok(()) }
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Identification {
    producer: String,
    epoch: u64,
}

fn judge(who: &Identification) -> Result<(), String> {
    let version = who.producer.strip_prefix("LLVM").unwrap_or("");
    let digits: String = version.chars().take_while(char::is_ascii_digit).collect();
    let newer = digits.parse::<u32>().is_ok_and(|major| major > OURS);
    if newer || who.epoch != 0 {
        let number =
            version.split(|c: char| !(c.is_ascii_digit() || c == '.')).next().unwrap_or("");
        let writer =
            if number.is_empty() { who.producer.clone() } else { format!("LLVM {number}") };
        return Err(format!(
            "was written by {writer}; Nanoscope reads LLVM {OURS} and older: compile again with clang-{OURS}"
        ));
    }
    Ok(())
}

/// The stream inside Darwin's wrapper, or the file itself.
fn unwrap(file: &[u8]) -> Option<&[u8]> {
    let word = |at: usize| {
        let bytes = file.get(at..at + 4)?;
        Some(u32::from_le_bytes(bytes.try_into().ok()?) as usize)
    };
    if word(0)? != 0x0B17_C0DE {
        return Some(file);
    }
    let (offset, size) = (word(8)?, word(12)?);
    file.get(offset..offset.checked_add(size)?)
}

/// An operand of an abbreviation.
#[derive(Clone, Copy)]
enum Operand {
    Literal(u64),
    Fixed(usize),
    Vbr(usize),
    Array,
    Char6,
    Blob,
}

fn read_identification(bits: &mut Bits, width: usize, end: usize) -> Option<Identification> {
    let mut who = Identification::default();
    let mut abbreviations: Vec<Vec<Operand>> = Vec::new();
    while bits.position < end {
        let values = match bits.fixed(width)? {
            0 => return Some(who),
            // No block is nested in this one.
            1 => return None,
            2 => {
                abbreviations.push(bits.abbreviation()?);
                continue;
            }
            3 => {
                let code = bits.vbr(6)?;
                let count = bits.vbr(6)?;
                let mut values = vec![code];
                for _ in 0..count {
                    values.push(bits.vbr(6)?);
                }
                values
            }
            number => {
                let operands = abbreviations.get(usize::try_from(number).ok()? - 4)?;
                bits.abbreviated(operands)?
            }
        };
        match values.split_first()? {
            (&STRING_RECORD, letters) => {
                who.producer = letters.iter().map(|&letter| char::from(letter as u8)).collect();
            }
            (&EPOCH_RECORD, rest) => who.epoch = *rest.first()?,
            // Records that a later LLVM may add say nothing that is asked here.
            (_, _) => {}
        }
    }
    None
}

struct Block {
    id: u64,
    /// Of abbreviation numbers inside.
    width: usize,
    words: usize,
}

/// A stream of bits, the lowest of each byte first.
struct Bits<'a> {
    bytes: &'a [u8],
    position: usize,
}

impl Bits<'_> {
    fn left(&self) -> usize {
        (self.bytes.len() * 8).saturating_sub(self.position)
    }

    fn fixed(&mut self, width: usize) -> Option<u64> {
        if width > 64 || width > self.left() {
            return None;
        }
        let bit = |at: usize| u64::from(self.bytes[at / 8] >> (at % 8) & 1);
        let value = (0..width).fold(0, |value, i| value | bit(self.position + i) << i);
        self.position += width;
        Some(value)
    }

    /// Chunks of `width` bits, the highest of each says that another follows.
    fn vbr(&mut self, width: usize) -> Option<u64> {
        let more = 1_u64.checked_shl(u32::try_from(width).ok()?.checked_sub(1)?)?;
        let (mut value, mut shift) = (0_u64, 0_u32);
        loop {
            let chunk = self.fixed(width)?;
            value |= (chunk & (more - 1)).checked_shl(shift)?;
            if chunk & more == 0 {
                return Some(value);
            }
            shift += u32::try_from(width).ok()? - 1;
        }
    }

    fn align(&mut self) {
        self.position = self.position.next_multiple_of(32);
    }

    fn enter_block(&mut self, width: usize) -> Option<Block> {
        if self.fixed(width)? != 1 {
            return None;
        }
        let id = self.vbr(8)?;
        let width = usize::try_from(self.vbr(4)?).ok()?;
        self.align();
        let words = usize::try_from(self.fixed(32)?).ok()?;
        Some(Block { id, width, words })
    }

    fn abbreviation(&mut self) -> Option<Vec<Operand>> {
        let count = self.vbr(5)?;
        let mut operands = Vec::new();
        for _ in 0..count {
            operands.push(if self.fixed(1)? == 1 {
                Operand::Literal(self.vbr(8)?)
            } else {
                match self.fixed(3)? {
                    1 => Operand::Fixed(usize::try_from(self.vbr(5)?).ok()?),
                    2 => Operand::Vbr(usize::try_from(self.vbr(5)?).ok()?),
                    3 => Operand::Array,
                    4 => Operand::Char6,
                    5 => Operand::Blob,
                    _ => return None,
                }
            });
        }
        Some(operands)
    }

    fn abbreviated(&mut self, operands: &[Operand]) -> Option<Vec<u64>> {
        let mut values = Vec::new();
        let mut rest = operands.iter();
        while let Some(&operand) = rest.next() {
            match operand {
                Operand::Array => {
                    let &element = rest.next()?;
                    for _ in 0..self.vbr(6)? {
                        values.push(self.scalar(element)?);
                    }
                }
                Operand::Blob => {
                    let length = self.vbr(6)?;
                    self.align();
                    for _ in 0..length {
                        values.push(self.fixed(8)?);
                    }
                    self.align();
                }
                Operand::Literal(_) | Operand::Fixed(_) | Operand::Vbr(_) | Operand::Char6 => {
                    values.push(self.scalar(operand)?);
                }
            }
        }
        Some(values)
    }

    fn scalar(&mut self, operand: Operand) -> Option<u64> {
        const CHAR6: &[u8; 64] =
            b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._";
        match operand {
            Operand::Literal(value) => Some(value),
            Operand::Fixed(width) => self.fixed(width),
            Operand::Vbr(width) => self.vbr(width),
            Operand::Char6 => Some(u64::from(CHAR6[usize::try_from(self.fixed(6)?).ok()?])),
            Operand::Array | Operand::Blob => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newer_writers_are_refused_by_name() {
        let check = |producer: &str, epoch, refused: Option<&str>| {
            let who = Identification { producer: producer.to_owned(), epoch };
            let said = judge(&who).err();
            assert_eq!(said.is_some(), refused.is_some(), "{producer}: {said:?}");
            if let (Some(said), Some(name)) = (said, refused) {
                assert!(said.starts_with(&format!("was written by {name};")), "{said}");
            }
        };
        check("LLVM19.1.7", 0, None);
        check("LLVM3.9", 0, None);
        check("LLVM17.0.6-rust-1.75.0-stable", 0, None);
        check("LLVM21.1.0", 0, Some("LLVM 21.1.0"));
        check("LLVM20.1.5-rust-1.90.0-stable", 0, Some("LLVM 20.1.5"));
        check("LLVM19.1.7", 1, Some("LLVM 19.1.7"));
        check("APPLE_1_1600.0.26_0", 0, None);
    }
}
