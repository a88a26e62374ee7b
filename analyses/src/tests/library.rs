//! What a program under test is compiled and explored with that it does not bring itself:
//! headers, and bodies of the C library.

use crate::subject::Source;
use nanoscope_explore::library;
use nanoscope_program::compile::{Bitcode, Compiler, Flags};
use nanoscope_program::{Fault, Program};
use std::path::PathBuf;
use std::time::Instant;

/// The source, with our headers where the compiler looks last.
pub(crate) fn with_headers(source: &Source) -> Result<Source, Fault> {
    let compiler = source.compiler()?;
    let files: Vec<(&str, &str)> =
        library::HEADERS.iter().map(|header| (header.name, header.text)).collect();
    let folder = compiler.folder(&files)?;
    let mut source = source.clone();
    source.ours.extend(["-idirafter".to_owned(), folder.display().to_string()]);
    Ok(source)
}

/// Bodies for what the program calls and does not define, and the folder they come from.
pub(super) fn support(
    program: &Program,
    deadline: Instant,
) -> Result<(Vec<Bitcode>, Option<PathBuf>), Fault> {
    let undefined = program.undefined();
    let mut names: Vec<&str> = undefined.iter().map(String::as_str).collect();
    let mut bitcode = Vec::new();
    if let Some(source) = library::templates(&names) {
        let compiler = Compiler::new(Flags::parse(library::TEMPLATE_FLAGS))?;
        let file = compiler.folder(&[(source.name, source.text)])?.join(source.name);
        bitcode.push(compiler.bitcode(&[file], Some(deadline))?);
        names.extend(library::TEMPLATES_NEED);
    }
    let (written, compiled) = library::sources(&names);
    if compiled.is_empty() {
        return Ok((bitcode, None));
    }
    let compiler = Compiler::new(Flags::parse(library::FLAGS))?;
    let files: Vec<(&str, &str)> =
        written.iter().map(|source| (source.name, source.text)).collect();
    let folder = compiler.folder(&files)?;
    let paths: Vec<PathBuf> = compiled.iter().map(|source| folder.join(source.name)).collect();
    bitcode.push(compiler.bitcode(&paths, Some(deadline))?);
    Ok((bitcode, Some(folder)))
}
