//! From a source to the code that is explored, the library's own C linked to it.

use nanoscope_explore::library;
use nanoscope_program::Program;
use nanoscope_program::compile::{Compiler, Flags};
use nanoscope_program::ir::{Code, Lowering};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

/// A folder of this test's own, gone with it.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Folder {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path =
            std::env::temp_dir().join(format!("nanoscope-explore-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a temporary folder");
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The code of a program of one file.
pub fn code_of(name: &str, text: &str) -> Code {
    let folder = Folder::new();
    let file = folder.0.join(name);
    std::fs::write(&file, text).expect("it can be written");
    let compiler =
        Compiler::caching_in(&folder.0.join("cache"), Flags::parse(["-O0"])).expect("a cache");
    let bitcode = compiler.bitcode(&[file], None).unwrap_or_else(|fault| panic!("{fault}"));
    let program = Program::load(bitcode).unwrap_or_else(|fault| panic!("{fault}"));
    let alone = program.code(&Lowering::default()).unwrap_or_else(|fault| panic!("{fault}"));
    let undefined: Vec<&str> = alone
        .functions
        .iter()
        .filter(|function| !function.is_defined())
        .map(|function| function.name.as_str())
        .chain(
            alone
                .globals
                .iter()
                .filter(|global| global.initial.is_none())
                .map(|global| global.name.as_str()),
        )
        .collect();
    let (written, compiled) = library::sources(&undefined);
    if compiled.is_empty() {
        return alone;
    }
    let own = folder.0.join("library");
    std::fs::create_dir_all(&own).expect("a folder");
    for source in written {
        std::fs::write(own.join(source.name), source.text).expect("it can be written");
    }
    let compiler = Compiler::caching_in(&folder.0.join("cache"), Flags::parse(library::FLAGS))
        .expect("a cache");
    let support = compiled
        .iter()
        .map(|source| compiler.bitcode(&[own.join(source.name)], None))
        .collect::<Result<Vec<_>, _>>()
        .unwrap_or_else(|fault| panic!("{fault}"));
    program
        .code(&Lowering { support, ..Lowering::default() })
        .unwrap_or_else(|fault| panic!("{fault}"))
}
