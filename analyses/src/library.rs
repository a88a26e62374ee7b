//! What a program is compiled and looked into with that it does not bring itself: headers, and
//! bodies of the C library.

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
pub(crate) fn support(
    program: &Program,
    deadline: Instant,
) -> Result<(Vec<Bitcode>, Option<PathBuf>), Fault> {
    let undefined = program.undefined();
    let mut names: Vec<&str> = undefined.iter().map(String::as_str).collect();
    let mut bitcode = Vec::new();
    bitcode.extend(templates(&mut names, Some(deadline))?);
    let Some((made, folder)) = compiled(library::sources(&names), Some(deadline))? else {
        return Ok((bitcode, None));
    };
    bitcode.push(made);
    Ok((bitcode, Some(folder)))
}

/// Those bodies that every engine can follow. Templates of the standard library are not among
/// them: the bodies of `std::string`, which a message of an error needs, take all the time that
/// proofs have.
pub(crate) fn self_contained(
    program: &Program,
    deadline: Option<Instant>,
) -> Result<Vec<Bitcode>, Fault> {
    let undefined = program.undefined();
    let names: Vec<&str> = undefined.iter().map(String::as_str).collect();
    let made = compiled(library::self_contained(&names), deadline)?;
    Ok(made.into_iter().map(|(bitcode, _)| bitcode).collect())
}

/// The same with instances of templates, for engines that follow single paths; nothing where the
/// program refers to none.
pub(crate) fn with_templates(
    program: &Program,
    deadline: Option<Instant>,
) -> Result<Option<Vec<Bitcode>>, Fault> {
    let undefined = program.undefined();
    let mut names: Vec<&str> = undefined.iter().map(String::as_str).collect();
    let Some(instances) = templates(&mut names, deadline)? else { return Ok(None) };
    let made = compiled(library::self_contained(&names), deadline)?;
    let bodies = made.into_iter().map(|(bitcode, _)| bitcode);
    Ok(Some(std::iter::once(instances).chain(bodies).collect()))
}

/// Instances of the standard library's templates, where a program refers to some; what they call
/// joins the names.
fn templates(names: &mut Vec<&str>, deadline: Option<Instant>) -> Result<Option<Bitcode>, Fault> {
    let Some(source) = library::templates(names) else { return Ok(None) };
    let compiler = Compiler::new(Flags::parse(library::TEMPLATE_FLAGS))?;
    let file = compiler.folder(&[(source.name, source.text)])?.join(source.name);
    names.extend(library::TEMPLATES_NEED);
    compiler.bitcode(&[file], deadline).map(Some)
}

/// Writes files, compiles some of them; nothing where there are none to compile.
fn compiled(
    (written, needed): (Vec<library::Source>, Vec<library::Source>),
    deadline: Option<Instant>,
) -> Result<Option<(Bitcode, PathBuf)>, Fault> {
    if needed.is_empty() {
        return Ok(None);
    }
    let compiler = Compiler::new(Flags::parse(library::FLAGS))?;
    let files: Vec<(&str, &str)> =
        written.iter().map(|source| (source.name, source.text)).collect();
    let folder = compiler.folder(&files)?;
    let paths: Vec<PathBuf> = needed.iter().map(|source| folder.join(source.name)).collect();
    Ok(Some((compiler.bitcode(&paths, deadline)?, folder)))
}
