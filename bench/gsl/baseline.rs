//! The baseline of `bench/gsl`: random inputs and the processor's sticky flags.
//!
//! ```text
//! baseline SOURCE SECONDS FOLDER FUNCTION...
//! ```
//!
//! Calls each function for so many processor seconds and writes FOLDER/FUNCTION: a line for
//! every operation and kind of exception that was seen, as `table.py` compares it with
//! Nanoscope's own findings. Functions that have their file are left out. SEED, if it is set,
//! chooses other inputs.

#![allow(unsafe_code)] // it runs the code it measures

#[path = "names.rs"]
mod names;

use names::names;
use nanoscope_ieee::Format;
use nanoscope_program::compile::{Compiler, Flags, RuntimeSource};
use nanoscope_program::{Action, Fault, Program, Scalar, Site, Target, Wishes, flags};
use std::ffi::{CString, c_void};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The same as the search's.
const FUEL: i64 = 100_000;

type Baseline = unsafe extern "C" fn(*const u8, u64, *mut u64, *mut u32, f64, i64, u64) -> u64;

fn main() -> Result<(), Fault> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [source, seconds, folder, functions @ ..] = arguments.as_slice() else {
        return Err(Fault::User("usage: baseline SOURCE SECONDS FOLDER FUNCTION...".into()));
    };
    let seconds: f64 =
        seconds.parse().map_err(|_| Fault::User(format!("not a number: {seconds}")))?;
    let seed = match std::env::var("SEED") {
        Ok(seed) => seed.parse().map_err(|_| Fault::User(format!("not a number: {seed}")))?,
        Err(_) => 0,
    };
    let folder = Path::new(folder);
    std::fs::create_dir_all(folder).map_err(|error| internal(&error))?;
    let wanted: Vec<String> =
        functions.iter().filter(|name| !folder.join(name).exists()).cloned().collect();
    if wanted.is_empty() {
        return Ok(());
    }
    let compiler = Compiler::new(Flags::parse(["-O2", "-lm"]))?;
    let program = Program::load(compiler.bitcode(&[PathBuf::from(source)], None)?)?;
    let wishes = Wishes::default();
    let scratch = std::env::temp_dir().join(format!("nanoscope-baseline-{}", std::process::id()));
    std::fs::create_dir_all(&scratch).map_err(|error| internal(&error))?;
    let runtime =
        RuntimeSource { name: "baseline.c".into(), text: include_str!("baseline.c").into() };
    let library = program.flagged_library(&wanted, &wishes, &compiler, &scratch, runtime);
    std::fs::remove_dir_all(&scratch).map_err(|error| internal(&error))?;
    let library = Library::open(&library?, seed)?;
    let names = names(program.sites());
    for (function, target) in wanted.iter().zip(program.targets(&wanted, &wishes)?) {
        let text = match target {
            Ok(target) => {
                tell(program.sites(), &names, library.run(&target, program.sites().len(), seconds)?)
            }
            Err(untestable) => format!("# not run: {}\n", untestable.why),
        };
        let part = folder.join(format!(".{function}"));
        std::fs::write(&part, text).map_err(|error| internal(&error))?;
        std::fs::rename(&part, folder.join(function)).map_err(|error| internal(&error))?;
    }
    Ok(())
}

fn internal(error: &dyn std::fmt::Display) -> Fault {
    Fault::Internal(error.to_string())
}

/// What the runs showed: kind, name and, for an underflow that raised no flag because it was
/// exact, the word `exact`.
fn tell(sites: &[Site], names: &[String], (runs, flags): (u64, Vec<u32>)) -> String {
    let mut text = format!("# runs {runs}\n");
    for ((site, name), raised) in sites.iter().zip(names).zip(flags) {
        // What the library raises inside is not the program's own arithmetic.
        if matches!(site.action, Action::Libm(_)) {
            continue;
        }
        let invalid = match site.action {
            Action::ToInteger { .. } => "conversion-out-of-range",
            _ => "invalid",
        };
        let underflow = if raised & 16 != 0 { "underflow" } else { "underflow exact" };
        let kinds =
            [(1, invalid), (4, "divide-by-zero"), (8, "overflow"), (16 | flags::TINY, underflow)];
        for (_, kind) in kinds.into_iter().filter(|(flag, _)| raised & flag != 0) {
            let (kind, exact) = kind.split_once(' ').unwrap_or((kind, ""));
            writeln!(text, "{kind} {name} {exact}").expect("to a string");
        }
    }
    text
}

/// A library with flag probes, loaded.
struct Library {
    handle: *mut c_void,
    baseline: Baseline,
    seed: u64,
}

impl Library {
    fn open(path: &Path, seed: u64) -> Result<Library, Fault> {
        let name = CString::new(path.as_os_str().as_encoded_bytes()).map_err(|e| internal(&e))?;
        // SAFETY: a library that was made here, whose symbols have these types.
        unsafe {
            let handle = libc::dlopen(name.as_ptr(), libc::RTLD_LAZY);
            let baseline = libc::dlsym(handle, c"baseline".as_ptr());
            if handle.is_null() || baseline.is_null() {
                return Err(Fault::Internal(format!("cannot load {}", path.display())));
            }
            let baseline = std::mem::transmute::<*mut c_void, Baseline>(baseline);
            Ok(Library { handle, baseline, seed })
        }
    }

    /// The runs and the flags of every site, from a process of its own: a crash costs what
    /// would have come after it and no more.
    fn run(&self, target: &Target, sites: usize, seconds: f64) -> Result<(u64, Vec<u32>), Fault> {
        let mut kinds = vec![0u8; target.input_words];
        for input in &target.inputs {
            kinds[input.word] = match input.scalar {
                Scalar::Integer { bits, .. } => bits.min(64) as u8,
                Scalar::Float(Format::BINARY32) => u8::MAX,
                // Other formats are given the bits of a double.
                Scalar::Float(_) => 0,
            };
        }
        let mut outputs = vec![0u64; target.output_words.max(1)];
        let bytes = 8 + 4 * sites;
        // SAFETY: a mapping of that size, shared with the child, which alone writes to it.
        unsafe {
            let shared = libc::mmap(
                std::ptr::null_mut(),
                bytes,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED | libc::MAP_ANONYMOUS,
                -1,
                0,
            );
            if shared == libc::MAP_FAILED {
                return Err(Fault::Internal("no memory to share with a child".into()));
            }
            let (runs, flags) = (shared.cast::<u64>(), shared.cast::<u32>().add(2));
            let child = libc::fork();
            if child == 0 {
                let entry = libc::dlsym(self.handle, c"nanoscope_entry".as_ptr()).cast::<u32>();
                if !entry.is_null() {
                    *entry = target.entry;
                }
                *runs = (self.baseline)(
                    kinds.as_ptr(),
                    kinds.len() as u64,
                    outputs.as_mut_ptr(),
                    flags,
                    seconds,
                    FUEL,
                    (self.seed << 32) + u64::from(target.entry) + 1,
                );
                libc::_exit(0);
            }
            let mut status = 0;
            libc::waitpid(child, &mut status, 0);
            let told = (*runs, std::slice::from_raw_parts(flags, sites).to_vec());
            libc::munmap(shared, bytes);
            Ok(told)
        }
    }
}
