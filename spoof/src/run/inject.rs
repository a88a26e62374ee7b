//! The agent in a static executable. No dynamic linker loads it there, so it is written into the
//! process by ptrace, before the program's first instruction; from then on everything is as in a
//! dynamic one.

use object::elf::{PT_INTERP, PT_LOAD};
use object::read::elf::{ElfFile64, ProgramHeader};
use object::{Endianness, Object, ObjectSymbol};
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// The file that a command runs: as it is given, or found on the path.
pub fn executable(command: &Path) -> Option<PathBuf> {
    if command.components().count() > 1 {
        return Some(command.to_path_buf());
    }
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(command)).find(|file| file.is_file())
}

/// Why a file cannot be tested, if it is a program for another machine.
pub fn foreign(program: &Path) -> Option<&'static str> {
    let bytes = fs::read(program).ok()?;
    if !bytes.starts_with(b"\x7fELF") {
        return None; // a script, or what only the kernel knows
    }
    let parsed = ElfFile64::<Endianness>::parse(&*bytes).ok();
    match parsed.map(|file| file.architecture()) {
        Some(object::Architecture::X86_64) => None,
        Some(_) => Some("it is for another processor: x86-64 programs are tested"),
        None => Some("it is a 32-bit program: 64-bit ones are tested"),
    }
}

/// Whether a program is loaded without a dynamic linker.
pub fn is_static(program: &Path) -> bool {
    let Ok(bytes) = fs::read(program) else { return false };
    let Ok(file) = ElfFile64::<Endianness>::parse(&*bytes) else { return false };
    let endian = file.endian();
    !file.elf_program_headers().iter().any(|header| header.p_type(endian) == PT_INTERP)
}

/// Asks to be traced by our parent; called in the child before it executes the program.
pub fn be_traced() -> io::Result<()> {
    // SAFETY: a system call on our own process.
    match unsafe { libc::ptrace(libc::PTRACE_TRACEME, 0, 0, 0) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Puts the agent into a child that is to be traced and has just executed the program, and lets it
/// go: the agent's first function runs, then the program.
pub fn inject(process: i32, agent: &[u8]) -> io::Result<()> {
    let stopped = Stopped::at_its_beginning(process)?;
    let begin = stopped.registers()?;
    let base = stopped.map(&begin, extent(agent)?)?;
    let image = ElfFile64::<Endianness>::parse(agent).map_err(io::Error::other)?;
    let endian = image.endian();
    for header in image.elf_program_headers().iter().filter(|h| h.p_type(endian) == PT_LOAD) {
        let data = header.data(endian, agent).map_err(|()| unreadable())?;
        stopped.memory.write_all_at(data, base + header.p_vaddr(endian))?;
    }
    let enter = image
        .dynamic_symbols()
        .find(|symbol| symbol.name() == Ok("nanoscope_agent_enter"))
        .ok_or_else(unreadable)?;
    // It returns to where the program begins.
    let mut registers = begin;
    registers.rsp -= 8;
    registers.rip = base + enter.address();
    registers.orig_rax = u64::MAX; // no system call is to be made again
    stopped.memory.write_all_at(&begin.rip.to_le_bytes(), registers.rsp)?;
    stopped.set_registers(&registers)?;
    stopped.release()
}

fn unreadable() -> io::Error {
    io::Error::other("the agent's image cannot be read")
}

/// The bytes that the agent takes in memory.
fn extent(agent: &[u8]) -> io::Result<u64> {
    let image = ElfFile64::<Endianness>::parse(agent).map_err(io::Error::other)?;
    let endian = image.endian();
    let loaded = image.elf_program_headers().iter().filter(|h| h.p_type(endian) == PT_LOAD);
    let end = loaded.map(|header| header.p_vaddr(endian) + header.p_memsz(endian)).max();
    Ok(end.ok_or_else(unreadable)?.next_multiple_of(4096))
}

/// A traced child that stands still.
struct Stopped {
    process: i32,
    memory: File,
}

impl Stopped {
    fn at_its_beginning(process: i32) -> io::Result<Stopped> {
        wait_for_trap(process)?;
        let path = format!("/proc/{process}/mem");
        let memory = OpenOptions::new().read(true).write(true).open(path)?;
        Ok(Stopped { process, memory })
    }

    /// Fresh memory in the process, by a system call that it makes for us.
    fn map(&self, begin: &libc::user_regs_struct, bytes: u64) -> io::Result<u64> {
        const SYSCALL_THEN_TRAP: [u8; 3] = [0x0f, 0x05, 0xcc];
        let mut code = [0u8; 3];
        self.memory.read_exact_at(&mut code, begin.rip)?;
        self.memory.write_all_at(&SYSCALL_THEN_TRAP, begin.rip)?;
        let mut registers = *begin;
        registers.rax = libc::SYS_mmap as u64;
        registers.orig_rax = u64::MAX;
        registers.rdi = 0;
        registers.rsi = bytes;
        registers.rdx = (libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC) as u64;
        registers.r10 = (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS) as u64;
        registers.r8 = u64::MAX;
        registers.r9 = 0;
        self.set_registers(&registers)?;
        // SAFETY: our own traced child, which stands still.
        if unsafe { libc::ptrace(libc::PTRACE_CONT, self.process, 0, 0) } != 0 {
            return Err(io::Error::last_os_error());
        }
        wait_for_trap(self.process)?;
        let answer = self.registers()?.rax;
        self.memory.write_all_at(&code, begin.rip)?;
        match answer as i64 {
            error @ -4095..0 => Err(io::Error::from_raw_os_error(-error as i32)),
            _ => Ok(answer),
        }
    }

    fn registers(&self) -> io::Result<libc::user_regs_struct> {
        // SAFETY: all zeros are registers; the call writes them.
        unsafe {
            let mut registers: libc::user_regs_struct = std::mem::zeroed();
            match libc::ptrace(libc::PTRACE_GETREGS, self.process, 0, &raw mut registers) {
                0 => Ok(registers),
                _ => Err(io::Error::last_os_error()),
            }
        }
    }

    fn set_registers(&self, registers: &libc::user_regs_struct) -> io::Result<()> {
        // SAFETY: the call reads the registers, which outlive it.
        match unsafe { libc::ptrace(libc::PTRACE_SETREGS, self.process, 0, registers) } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }

    fn release(self) -> io::Result<()> {
        // SAFETY: our own traced child, which stands still.
        match unsafe { libc::ptrace(libc::PTRACE_DETACH, self.process, 0, 0) } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }
}

/// Waits until a traced child stands at a breakpoint, or has just executed its program.
fn wait_for_trap(process: i32) -> io::Result<()> {
    let mut status = 0;
    // SAFETY: our own child; the call writes the status.
    if unsafe { libc::waitpid(process, &raw mut status, libc::__WALL) } != process {
        return Err(io::Error::last_os_error());
    }
    if libc::WIFSTOPPED(status) && libc::WSTOPSIG(status) == libc::SIGTRAP {
        return Ok(());
    }
    Err(io::Error::other("the program did not come to its first instruction"))
}
