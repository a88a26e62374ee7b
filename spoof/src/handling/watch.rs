//! Where breakpoints go, and whether the prototypes fit what was loaded.

use super::goal::Goal;
use super::pass::{Entry, Pass};
use super::{Tested, Trouble, lock};
use crate::derive::{declarations_at, misfit};
use crate::prototype::Prototype;
use crate::run::{Breakpoint, Module, Modules, STREAMS, Subject, executable};
use std::path::Path;
use std::sync::Mutex;

impl Pass<'_> {
    /// Sets breakpoints in what was loaded since the last time.
    pub fn watch(
        &self,
        subject: &mut Subject,
        known: &Modules,
        entries: &Mutex<Vec<Entry>>,
    ) -> Result<Modules, Trouble> {
        let mut modules = known.clone();
        modules.refresh(subject.process()).map_err(|error| {
            Trouble::Internal(format!("cannot read the process's map: {error}"))
        })?;
        let fresh: Vec<Module> = modules
            .list
            .iter()
            .filter(|module| {
                !known.list.iter().any(|old| old.path == module.path && old.bias == module.bias)
            })
            .cloned()
            .collect();
        for module in fresh {
            self.check_declarations(&module)?;
            for (k, prototype) in self.prototypes.iter().enumerate() {
                let symbol = self.options.symbol(prototype);
                for place in self.places(prototype, &module) {
                    let address = match module.is_indirect(place) {
                        true => subject.resolve(place),
                        false => Some(place),
                    };
                    let Some(address) = address else { continue };
                    let mut entries = lock(entries);
                    // Two names of one function are one function.
                    if entries.iter().any(|entry| entry.address == address) {
                        continue;
                    }
                    let id = entries.len() as u64;
                    let length = self.code.straight_length(address, &modules);
                    if subject.add_breakpoint(address, Breakpoint::Entry, id, length) {
                        let tested = Tested { symbol: symbol.clone(), module: module.path.clone() };
                        entries.push(Entry { prototype: k, tested, address });
                    }
                }
            }
            let own = self.prototypes.iter().flat_map(|p| p.error_routines.iter());
            for routine in self.options.error_routines.iter().chain(own) {
                if let Some(address) = module.find(routine) {
                    subject.add_breakpoint(address, Breakpoint::Error, 0, 0);
                }
            }
            for routine in ENDS {
                if let Some(address) = module.find(routine).filter(|_| is_libc(&module)) {
                    subject.add_breakpoint(address, Breakpoint::Exit, 0, 0);
                }
            }
            if let Some(address) = module.find("abort").filter(|_| is_libc(&module)) {
                subject.add_breakpoint(
                    address,
                    Breakpoint::Exit,
                    pages_around(&module, address),
                    0,
                );
            }
            if let Some(free) = module.find("free").filter(|_| !module.name().starts_with("ld-")) {
                subject.add_breakpoint(free, Breakpoint::Free, 0, 0);
            }
            add_streams(subject, &module, &modules);
            if module.name().starts_with("ld-")
                && let Some(address) = module.find("_dl_debug_state")
            {
                subject.add_breakpoint(address, Breakpoint::Loader, 0, 0);
            }
        }
        Ok(modules)
    }

    /// Where a module has a function.
    fn places(&self, prototype: &Prototype, module: &Module) -> Vec<u64> {
        match prototype.address {
            Some(address) => self.without_symbol(address, module).into_iter().collect(),
            None => module.find_all(&self.options.symbol(prototype)),
        }
    }

    fn without_symbol(&self, address: u64, module: &Module) -> Option<u64> {
        // An address without a symbol is one of the program's file.
        let program = executable(Path::new(&self.options.command[0]))?;
        let here = address.wrapping_add(module.bias);
        let same = std::fs::canonicalize(program).is_ok_and(|program| program == module.path);
        (same && module.code(here, 1).is_some()).then_some(here)
    }

    /// A prototype must fit what the debugging information says of the function.
    fn check_declarations(&self, module: &Module) -> Result<(), Trouble> {
        let mut found: Vec<(&Prototype, u64)> = Vec::new();
        for prototype in self.prototypes {
            let places = self.places(prototype, module).into_iter();
            found.extend(places.map(|place| (*prototype, place - module.bias)));
        }
        if found.is_empty() || !matches!(self.goal, Goal::Census(_)) {
            return Ok(());
        }
        let addresses: Vec<u64> = found.iter().map(|(_, address)| *address).collect();
        let all = declarations_at(&module.path, &addresses);
        for (prototype, address) in found {
            if let Some(what) = all.get(&address).and_then(|known| misfit(prototype, known)) {
                let line = match prototype.is_derived() {
                    true => String::new(),
                    false => format!("line {}: ", prototype.line),
                };
                let (name, file) = (&prototype.name, module.path.display());
                return Err(Trouble::User(format!("{line}{name} does not fit {file}: {what}")));
            }
        }
        Ok(())
    }

    /// What the program has itself is not taken from a preloaded library.
    pub fn not_preloaded(&self, entries: &[Entry]) -> Option<String> {
        let preloaded = |entry: &&Entry| self.options.preload.contains(&entry.tested.module);
        let own: Vec<&str> = entries
            .iter()
            .filter(preloaded)
            .filter(|entry| {
                entries.iter().any(|other| {
                    other.prototype == entry.prototype
                        && other.tested.module.as_os_str() == self.options.command[0]
                })
            })
            .map(|entry| entry.tested.symbol.as_str())
            .collect();
        let more = if own.len() > 3 { ", …" } else { "" };
        (!own.is_empty()).then(|| {
            format!(
                "{}{more}: the program has its own, so the preloaded library's are not called. \
                 Link the program with a shared library",
                own[..own.len().min(3)].join(", ")
            )
        })
    }

    /// Some function under test must be there, and every function of a file that is not
    /// `optional`, unless the program may still load them.
    pub fn check_presence(
        &self,
        entries: &Mutex<Vec<Entry>>,
        modules: &Modules,
    ) -> Result<(), Trouble> {
        // The program itself, or a library of it, as Python's interpreter may be one.
        let can_load = modules.list.iter().any(Module::imports_loader);
        if can_load {
            return Ok(());
        }
        let entries = lock(entries);
        if entries.is_empty() {
            let mut names: Vec<String> = modules.list.iter().map(Module::name).collect();
            names.retain(|name| name != "agent.so");
            let wanted: Vec<String> =
                self.prototypes.iter().take(3).map(|p| self.options.symbol(p)).collect();
            let more = if self.prototypes.len() > 3 { ", …" } else { "" };
            let program = executable(Path::new(&self.options.command[0]));
            let program = program.and_then(|file| std::fs::canonicalize(file).ok());
            let runs = modules.list.iter().any(|module| Some(&module.path) == program.as_ref());
            let stripped = modules.list.first().is_some_and(Module::is_stripped);
            let why = if !runs {
                let script = Path::new(&self.options.command[0]).display();
                format!(
                    "\n\n{script} is a script that {} runs: give the program that it starts",
                    names[0]
                )
            } else if stripped {
                format!(
                    "\n\n{} has no symbols (it is stripped): say in the prototypes where its functions \
                     begin, as in `address 0x4011d6`, or link it without -s",
                    names[0]
                )
            } else {
                String::new()
            };
            return Err(Trouble::User(format!(
                "none of the functions with a prototype ({}{more}) is in {}{why}",
                wanted.join(", "),
                names.join(", ")
            )));
        }
        if self.options.library.optional {
            return Ok(());
        }
        for (k, prototype) in self.prototypes.iter().enumerate() {
            if !entries.iter().any(|entry| entry.prototype == k) {
                return Err(Trouble::User(format!(
                    "line {}: {} ({}) is not in the program: remove its prototype, or begin the \
                     file with `optional`",
                    prototype.line,
                    prototype.name,
                    self.options.symbol(prototype)
                )));
            }
        }
        Ok(())
    }
}

/// What ends a program that wants to end, with a message or a code. `abort` is apart.
const ENDS: [&str; 6] =
    ["exit", "_exit", "_Exit", "quick_exit", "__assert_fail", "__assert_perror_fail"];

/// Tells the agent how to write out what the run-times of C, C++ and Fortran keep in their buffers.
fn add_streams(subject: &mut Subject, module: &Module, modules: &Modules) {
    if let Some(flush) = module.find("fflush").filter(|_| is_libc(module)) {
        subject.add_stream(flush, 0, false);
    }
    // gfortran's flushes all units, if it is given no unit.
    if let Some(flush) = module.find("_gfortran_flush_i4") {
        subject.add_stream(flush, 0, true);
    }
    // flang's takes what it would say if that went wrong, and looks at it then only: any memory does.
    let flang = "_ZN7Fortran7runtime2io18FlushOutputOnCrashERKNS0_10TerminatorE";
    if let Some(flush) = module.find(flang) {
        subject.add_stream(flush, flush, true);
    }
    if let Some(flush) = module.find("_ZNSo5flushEv") {
        for stream in STREAMS {
            // The program has a copy of a variable that it uses, and it comes first.
            let own = modules.list.iter().find_map(|module| module.stream(stream));
            if let Some(stream) = own {
                subject.add_stream(flush, stream, false);
            }
        }
    }
}

fn is_libc(module: &Module) -> bool {
    module.is_static() || module.name().starts_with("libc.") || module.name().starts_with("libc-")
}

/// The pages that a module has before and after an address, as the agent takes them. In a static program nobody
/// knows which part is the C library: none.
fn pages_around(module: &Module, address: u64) -> u64 {
    if module.is_static() {
        return 0;
    }
    let pages = |bytes: u64| (bytes >> 12).min(0xffff);
    let (first, last) = module.range;
    pages(address.saturating_sub(first)) << 16 | pages(last.saturating_sub(address))
}
