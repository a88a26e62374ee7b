//! Where the prototypes of `nanoscope handling` come from: files, headers, debugging information.

use clap::Args;
use nanoscope_cli::{Fault, output};
use nanoscope_spoof::derive::{self, Declaration};
use nanoscope_spoof::handling::Origin;
use nanoscope_spoof::prototype::{Library, parse, shipped};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// What describes the functions under test.
#[derive(Clone, Debug, Default, Args)]
pub struct Sources {
    /// What the functions take and give back: a file, or one of the collections blas, cblas, lapack,
    /// gsl, libm; may be repeated
    #[arg(long, value_name = "FILE")]
    pub prototypes: Vec<PathBuf>,

    /// Test the functions that this C header declares. Which elements their pointers stand for is seen
    /// by running them. Files of prototypes go before; may be repeated
    #[arg(long = "header", value_name = "FILE")]
    pub headers: Vec<PathBuf>,

    /// Look for headers here too; may be repeated
    #[arg(short = 'I', value_name = "DIR")]
    pub include: Vec<PathBuf>,

    /// Define a macro for the headers; may be repeated
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    pub define: Vec<String>,

    /// Test the functions that this file's debugging information describes: the program's, if no
    /// prototypes and no header are given; may be repeated
    #[arg(long, value_name = "FILE")]
    pub debug_info: Vec<PathBuf>,
}

/// So many functions are named for each reason that they are not tested.
const NAMED: usize = 3;

impl Sources {
    /// All prototypes. `program` has the debugging information if nothing else is said.
    pub fn library(&self, program: &Path) -> Result<Library, Fault> {
        let mut all = written(&self.prototypes)?;
        let mut flags: Vec<OsString> = Vec::new();
        for folder in &self.include {
            flags.extend([OsString::from("-I"), folder.clone().into_os_string()]);
        }
        flags.extend(self.define.iter().map(|macro_| format!("-D{macro_}").into()));
        for header in &self.headers {
            let declared = derive::from_header(header, &flags).map_err(Fault::User)?;
            add(&mut all, &declared, &header.display().to_string());
        }
        let silent =
            self.prototypes.is_empty() && self.headers.is_empty() && self.debug_info.is_empty();
        let own = silent.then(|| program.to_path_buf());
        for file in self.debug_info.iter().chain(&own) {
            let declared = derive::from_debug_information(file).map_err(Fault::User)?;
            add(&mut all, &declared, &file.display().to_string());
        }
        Ok(all)
    }

    /// For a replay: files that are found again from anywhere. A collection has none.
    pub fn origin(&self) -> Origin {
        let full = |files: &[PathBuf]| -> Vec<PathBuf> {
            let full =
                |file: &PathBuf| std::fs::canonicalize(file).unwrap_or_else(|_| file.clone());
            files.iter().map(full).collect()
        };
        Origin {
            prototypes: full(&self.prototypes),
            headers: full(&self.headers),
            include: full(&self.include),
            define: self.define.clone(),
            debug_info: full(&self.debug_info),
            ..Origin::default()
        }
    }
}

/// Reads files of prototypes; a name without a file behind it is a collection of ours.
fn written(files: &[PathBuf]) -> Result<Library, Fault> {
    let mut all = Library { optional: true, ..Library::default() };
    for file in files {
        let (text, name) = match std::fs::read_to_string(file) {
            Ok(text) => (text, file.display().to_string()),
            Err(error) => match file.to_str().and_then(shipped) {
                Some(text) => (text.to_string(), file.display().to_string()),
                None => return Err(output::cannot("read", file, &error)),
            },
        };
        let read = parse(&text).map_err(|mistake| Fault::User(format!("{name}:{mistake}")))?;
        all.optional &= read.optional;
        for prototype in read.prototypes {
            if all.prototypes.iter().any(|other| other.symbol == prototype.symbol) {
                let what = format!("{} is described twice", prototype.symbol);
                return Err(Fault::User(format!("{name}:{}: {what}", prototype.line)));
            }
            all.prototypes.push(prototype);
        }
    }
    Ok(all)
}

/// Adds the prototypes of what is declared and not described yet.
fn add(all: &mut Library, declared: &[Declaration], file: &str) {
    let mut refused: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for declaration in declared {
        if all.prototypes.iter().any(|other| other.symbol == declaration.symbol) {
            continue;
        }
        match derive::prototype(declaration) {
            Ok(prototype) => all.prototypes.push(prototype),
            Err(why) => {
                refused.entry(why).or_default().push(&declaration.name);
                all.refused.insert(declaration.name.clone(), why.to_string());
            }
        }
    }
    for (why, names) in refused {
        let more = if names.len() > NAMED { ", …" } else { "" };
        let first = names[..names.len().min(NAMED)].join(", ");
        all.notes.push(format!("not tested, of {file}: {first}{more} ({}): {why}", names.len()));
    }
}
