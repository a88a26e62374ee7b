//! The executable and the libraries of a process: where they are, and which functions they have.

use object::elf::{PF_X, PT_TLS, STT_GNU_IFUNC};
use object::read::elf::ProgramHeader;
use object::{Object, ObjectSegment, ObjectSymbol, SegmentFlags, SymbolFlags, SymbolKind};
use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A function of a file, at the address the file gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// Its name, without a version.
    pub name: String,
    /// Where it begins.
    pub address: u64,
    /// How long it is; 0 if the file does not say.
    pub size: u64,
    /// Whether it is not the function but says where the one for this processor is.
    pub indirect: bool,
}

/// What is known of a file.
#[derive(Debug, Default)]
struct Contents {
    /// By address.
    symbols: Vec<Symbol>,
    by_name: BTreeMap<String, usize>,
    /// The standard streams of C++, where they are the file's own.
    streams: Vec<(&'static str, u64)>,
    /// The lowest address that is loaded.
    lowest: u64,
    /// Whether it asks for dlopen.
    loads: bool,
    /// Of a static program: where its errno is, from the base of `fs`.
    errno: Option<i64>,
    /// Whether it is a program without a dynamic linker.
    alone: bool,
    /// What is executable: the address in the file, and the bytes.
    code: Vec<(u64, Vec<u8>)>,
}

/// The standard streams of C++ that may keep what is written to them.
pub const STREAMS: [&str; 2] = ["_ZSt4cout", "_ZSt4clog"];

/// A file in the memory of a process.
#[derive(Clone, Debug)]
pub struct Module {
    /// The file.
    pub path: PathBuf,
    /// What is added to the file's addresses.
    pub bias: u64,
    /// The first and the last address.
    pub range: (u64, u64),
    /// The parts of it that can be written: address and length.
    pub writable: Vec<(u64, u64)>,
    contents: Arc<Contents>,
}

impl Module {
    /// Its file's name.
    pub fn name(&self) -> String {
        self.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// Where a function begins.
    pub fn find(&self, symbol: &str) -> Option<u64> {
        let at = self.contents.by_name.get(symbol)?;
        Some(self.contents.symbols[*at].address.wrapping_add(self.bias))
    }

    /// Where it has a standard stream of C++ that may keep what is written to it, by its symbol.
    pub fn stream(&self, symbol: &str) -> Option<u64> {
        let known = self.contents.streams.iter().find(|(name, _)| *name == symbol);
        known.map(|(_, address)| address.wrapping_add(self.bias))
    }

    /// Where all functions of a name begin: versions of one may be several.
    pub fn find_all(&self, symbol: &str) -> Vec<u64> {
        if !self.contents.by_name.contains_key(symbol) {
            return Vec::new();
        }
        let mut all: Vec<u64> = self
            .contents
            .symbols
            .iter()
            .filter(|other| other.name == symbol)
            .map(|other| other.address.wrapping_add(self.bias))
            .collect();
        all.dedup();
        all
    }

    /// Whether what begins at an address chooses among functions.
    pub fn is_indirect(&self, address: u64) -> bool {
        let inside = address.wrapping_sub(self.bias);
        self.contents.symbols.iter().any(|symbol| symbol.address == inside && symbol.indirect)
    }

    /// Whether it asks the dynamic linker for libraries while it runs.
    pub fn imports_loader(&self) -> bool {
        self.contents.loads
    }

    /// Whether it is a static program: the C library is in it.
    pub fn is_static(&self) -> bool {
        self.contents.alone
    }

    /// Whether it names no function of its own.
    pub fn is_stripped(&self) -> bool {
        self.contents.symbols.is_empty()
    }

    /// Where the errno of a static program is, from the base of `fs`.
    pub fn errno(&self) -> Option<i64> {
        self.contents.errno
    }

    /// At most `length` bytes of code from an address on, as the file has them.
    pub fn code(&self, address: u64, length: usize) -> Option<&[u8]> {
        let inside = address.wrapping_sub(self.bias);
        self.contents.code.iter().find_map(|(start, bytes)| {
            let at = usize::try_from(inside.checked_sub(*start)?).ok()?;
            bytes.get(at..(at + length).min(bytes.len())).filter(|bytes| !bytes.is_empty())
        })
    }

    /// The function that an address is in, and how far from its beginning.
    pub fn symbol_at(&self, address: u64) -> Option<(&str, u64)> {
        let inside = address.wrapping_sub(self.bias);
        let after = self.contents.symbols.partition_point(|symbol| symbol.address <= inside);
        let symbol = &self.contents.symbols[after.checked_sub(1)?];
        // Beyond its end is a function that the file does not name.
        let offset = inside - symbol.address;
        (symbol.size == 0 || offset < symbol.size).then_some((&symbol.name, offset))
    }
}

/// All of a process.
#[derive(Clone, Debug, Default)]
pub struct Modules {
    /// By address.
    pub list: Vec<Module>,
    known: HashMap<PathBuf, Arc<Contents>>,
}

impl Modules {
    /// The file an address is in, and the address there.
    pub fn locate(&self, address: u64) -> (PathBuf, u64) {
        match self.at(address) {
            Some(module) => (module.path.clone(), address - module.bias),
            None => (PathBuf::new(), address),
        }
    }

    /// Looks at a process again. Files that were there before are not read again.
    pub fn refresh(&mut self, process: u32) -> io::Result<()> {
        let maps = fs::read_to_string(format!("/proc/{process}/maps"))?;
        let mut list: Vec<Module> = Vec::new();
        let mut previous_end = 0;
        for line in maps.lines() {
            let mut words = line.split_whitespace();
            let range = words.next().unwrap_or_default();
            let rights = words.next().unwrap_or_default();
            let offset = words.next().and_then(|text| u64::from_str_radix(text, 16).ok());
            let path = words.nth(2).map(|_| {
                // The path may hold spaces: it is what follows the fifth word.
                let at = line.find(" /").map_or(line.len(), |at| at + 1);
                PathBuf::from(&line[at..])
            });
            let Some((start, end)) = range.split_once('-').and_then(|(start, end)| {
                Some((u64::from_str_radix(start, 16).ok()?, u64::from_str_radix(end, 16).ok()?))
            }) else {
                continue;
            };
            let writes = rights.starts_with("rw");
            match path {
                Some(path) if path.is_absolute() => {
                    if let Some(last) = list.last_mut().filter(|last| last.path == path) {
                        last.range.1 = end;
                        if writes {
                            last.writable.push((start, end - start));
                        }
                    } else if offset == Some(0)
                        && let Some(contents) = self.contents(&path)
                    {
                        let bias = start.wrapping_sub(contents.lowest & !4095);
                        let mut module = Module {
                            path,
                            bias,
                            range: (start, end),
                            writable: Vec::new(),
                            contents,
                        };
                        if writes {
                            module.writable.push((start, end - start));
                        }
                        list.push(module);
                    }
                    previous_end = end;
                }
                // What follows a module without a name is its zero-initialised data.
                _ if writes && start == previous_end && !line.ends_with(']') => {
                    if let Some(last) = list.last_mut() {
                        last.range.1 = end;
                        last.writable.push((start, end - start));
                    }
                }
                _ => {}
            }
        }
        self.list = list;
        Ok(())
    }

    fn contents(&mut self, path: &Path) -> Option<Arc<Contents>> {
        if let Some(contents) = self.known.get(path) {
            return Some(contents.clone());
        }
        let contents = Arc::new(read(path)?);
        self.known.insert(path.to_path_buf(), contents.clone());
        Some(contents)
    }

    /// The module that an address is in.
    pub fn at(&self, address: u64) -> Option<&Module> {
        self.list.iter().find(|module| (module.range.0..module.range.1).contains(&address))
    }

    /// `sgbmv_+0x8b`, or the module and an offset where no symbol is known.
    pub fn describe(&self, address: u64) -> String {
        match self.at(address) {
            None => format!("{address:#x}"),
            Some(module) => match module.symbol_at(address) {
                Some((name, offset)) => format!("{name}+{offset:#x}"),
                None => format!("{}+{:#x}", module.name(), address - module.bias),
            },
        }
    }
}

fn read(path: &Path) -> Option<Contents> {
    let bytes = fs::read(path).ok()?;
    let file = object::File::parse(&*bytes).ok()?;
    let mut contents = Contents {
        lowest: file.segments().map(|segment| segment.address()).min().unwrap_or(0),
        ..Contents::default()
    };
    for segment in file.segments() {
        let executable =
            matches!(segment.flags(), SegmentFlags::Elf { p_flags, .. } if p_flags.contains(PF_X));
        if executable && let Ok(data) = segment.data() {
            contents.code.push((segment.address(), data.to_vec()));
        }
    }
    contents.loads = file.dynamic_symbols().any(|symbol| {
        symbol.is_undefined() && symbol.name().is_ok_and(|name| name.starts_with("dlopen"))
    });
    contents.alone = super::inject::is_static(path) && file.dynamic_symbols().next().is_none();
    if contents.alone {
        contents.errno = thread_local(&file, "errno");
    }
    for symbol in file.symbols().chain(file.dynamic_symbols()) {
        if symbol.kind() == SymbolKind::Data
            && !symbol.is_undefined()
            && let Ok(name) = symbol.name()
            && let Some(stream) =
                STREAMS.iter().find(|stream| name.split('@').next() == Some(stream))
        {
            contents.streams.push((stream, symbol.address()));
        }
        if symbol.kind() != SymbolKind::Text || symbol.is_undefined() || symbol.address() == 0 {
            continue;
        }
        let Ok(name) = symbol.name() else { continue };
        let name = name.split('@').next().unwrap_or(name).to_string();
        let (address, size) = (symbol.address(), symbol.size());
        let indirect = match symbol.flags() {
            SymbolFlags::Elf { st_info, .. } => st_info.0 & 0xf == STT_GNU_IFUNC.0,
            _ => false,
        };
        contents.symbols.push(Symbol { name, address, size, indirect });
    }
    contents.symbols.sort_by(|a, b| (a.address, &a.name).cmp(&(b.address, &b.name)));
    contents.symbols.dedup();
    for (at, symbol) in contents.symbols.iter().enumerate() {
        contents.by_name.entry(symbol.name.clone()).or_insert(at);
    }
    Some(contents)
}

/// Where a thread-local variable of a static program is: its block ends at the base of `fs`.
fn thread_local(file: &object::File, name: &str) -> Option<i64> {
    let symbol = file
        .symbols()
        .find(|symbol| symbol.kind() == SymbolKind::Tls && symbol.name() == Ok(name))?;
    let object::File::Elf64(elf) = file else { return None };
    let endian = elf.endian();
    let headers = elf.elf_program_headers();
    let block = headers.iter().find(|header| header.p_type(endian) == PT_TLS)?;
    let size = block.p_memsz(endian).next_multiple_of(block.p_align(endian).max(1));
    Some(symbol.address() as i64 - size as i64)
}

/// Whether a file is a shared library, not a program.
pub fn is_library(path: &Path) -> bool {
    let Ok(bytes) = fs::read(path) else { return false };
    let Ok(file) = object::File::parse(&*bytes) else { return false };
    // A program says who loads it, or is not to be moved.
    file.kind() == object::ObjectKind::Dynamic && file.section_by_name(".interp").is_none()
}
