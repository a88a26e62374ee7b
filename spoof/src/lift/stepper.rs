//! A stepper for tests: calls a function of a library in a child and records every instruction.

use super::proof::Area;
use super::{address_of, decode};
use crate::prototype::{Argument, Element, Intent, Kind, Place};
use crate::trace::{Memory, State, Step, Trace};
use iced_x86::InstructionInfoFactory;
use std::ffi::CString;
use std::path::PathBuf;
use std::process::Command;

/// A library compiled from C.
pub(crate) struct Library {
    handle: *mut libc::c_void,
    _folder: tempfile::TempDir,
}

impl Library {
    /// Compiles C with these options.
    pub(crate) fn compile(compiler: &str, options: &[&str], source: &str) -> Library {
        let folder = tempfile::tempdir().expect("a folder");
        let file = |name: &str| -> PathBuf { folder.path().join(name) };
        std::fs::write(file("subject.c"), source).expect("a source");
        let status = Command::new(compiler)
            .args(options)
            .args(["-shared", "-fPIC", "-o"])
            .arg(file("subject.so"))
            .arg(file("subject.c"))
            .arg("-lm")
            .status()
            .expect("a compiler");
        assert!(status.success(), "{compiler} compiles");
        let path = CString::new(file("subject.so").to_str().expect("a name")).expect("a name");
        // SAFETY: the library is ours and runs no code when it is loaded.
        let handle = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW) };
        assert!(!handle.is_null(), "the library loads");
        Library { handle, _folder: folder }
    }

    /// The address of a function.
    pub(crate) fn function(&self, name: &str) -> u64 {
        let name = CString::new(name).expect("a name");
        // SAFETY: the handle is that of a loaded library.
        let address = unsafe { libc::dlsym(self.handle, name.as_ptr()) };
        assert!(!address.is_null(), "the function is there");
        address as u64
    }
}

/// Doubles in memory as an argument.
pub(crate) fn doubles(name: &str, values: &[f64], intent: Intent) -> Argument {
    let element = |(at, value): (usize, &f64)| Element {
        name: format!("{name}[{at}]"),
        place: Place::Memory(std::ptr::from_ref(value) as u64),
        input: intent.is_input(),
        output: intent.is_output(),
        documented: None,
    };
    Argument {
        name: name.to_string(),
        kind: Kind::Real,
        bits: 64,
        intent,
        elements: values.iter().enumerate().map(element).collect(),
        value: None,
        base: values.first().map(|value| std::ptr::from_ref(value) as u64),
        origin: None,
    }
}

/// Records a call of the function at `address`, which `call` makes in a child process.
pub(crate) fn record(address: u64, arguments: Vec<Argument>, call: impl Fn()) -> Trace {
    // SAFETY: the child calls the function and leaves.
    let child = unsafe { libc::fork() };
    assert!(child >= 0, "a child");
    if child == 0 {
        // SAFETY: only calls that are safe in a fork.
        unsafe {
            libc::ptrace(libc::PTRACE_TRACEME, 0, 0, 0);
            libc::raise(libc::SIGSTOP);
        }
        call();
        // SAFETY: as above.
        unsafe { libc::_exit(0) };
    }
    let mut child = Child { process: child };
    child.wait();
    let mut factory = InstructionInfoFactory::new();
    while child.state().rip != address {
        child.step();
    }
    let entry = child.state();
    let return_address = u64::from_le_bytes(child.read(entry.general[4], 8).try_into().unwrap());
    let pieces: Vec<(u64, usize)> = arguments
        .iter()
        .flat_map(|argument| argument.elements.iter().map(|element| (argument.bits, element)))
        .filter_map(|(bits, element)| match element.place {
            Place::Memory(address) => Some((address, bits as usize / 8)),
            _ => None,
        })
        .collect();
    let memory = |child: &Child| -> Vec<Memory> {
        let piece =
            |&(address, size): &(u64, usize)| Memory { address, bytes: child.read(address, size) };
        pieces.iter().map(piece).collect()
    };
    let memory_before = memory(&child);
    let mut steps = Vec::new();
    let exit = loop {
        let state = child.state();
        if state.rip == return_address && state.general[4] > entry.general[4] {
            break state;
        }
        let mut step = Step {
            address: state.rip,
            code: child.read(state.rip, 15),
            before: state,
            reads: vec![],
        };
        let instruction = decode(&step);
        step.code.truncate(instruction.len());
        for used in factory.info(&instruction).used_memory() {
            let size = used.memory_size().size();
            if let Some(address) = address_of(&step, used).filter(|_| size > 0) {
                step.reads.push(Memory { address, bytes: child.read(address, size) });
            }
        }
        steps.push(step);
        child.step();
    };
    let memory_after = memory(&child);
    Trace {
        function: String::new(),
        address,
        entry,
        arguments,
        memory: memory_before,
        steps,
        exit,
        memory_after,
        returned: true,
    }
}

struct Child {
    process: i32,
}

impl Child {
    fn wait(&self) {
        let mut status = 0;
        // SAFETY: our child.
        unsafe { libc::waitpid(self.process, &mut status, 0) };
        assert!(libc::WIFSTOPPED(status), "the child stopped: {status:#x}");
    }

    fn step(&mut self) {
        // SAFETY: our child, which is stopped.
        unsafe { libc::ptrace(libc::PTRACE_SINGLESTEP, self.process, 0, 0) };
        self.wait();
    }

    fn state(&self) -> State {
        let mut state = State::zero();
        // SAFETY: plain data that the kernel fills.
        let mut registers: libc::user_regs_struct = unsafe { std::mem::zeroed() };
        let mut area = vec![0u8; 8192];
        let mut vector = libc::iovec { iov_base: area.as_mut_ptr().cast(), iov_len: area.len() };
        const NT_X86_XSTATE: i32 = 0x202;
        // SAFETY: our child, which is stopped; the buffers are as long as they say.
        unsafe {
            libc::ptrace(libc::PTRACE_GETREGS, self.process, 0, &mut registers);
            libc::ptrace(libc::PTRACE_GETREGSET, self.process, NT_X86_XSTATE, &mut vector);
        }
        let r = registers;
        state.general = [
            r.rax, r.rcx, r.rdx, r.rbx, r.rsp, r.rbp, r.rsi, r.rdi, r.r8, r.r9, r.r10, r.r11,
            r.r12, r.r13, r.r14, r.r15,
        ];
        state.rip = r.rip;
        state.rflags = r.eflags;
        state.fs_base = r.fs_base;
        Area::of_this_processor().read(&area, &mut state);
        state
    }

    fn read(&self, address: u64, size: usize) -> Vec<u8> {
        let mut bytes = vec![0u8; size];
        let local = libc::iovec { iov_base: bytes.as_mut_ptr().cast(), iov_len: size };
        let remote = libc::iovec { iov_base: address as *mut libc::c_void, iov_len: size };
        // SAFETY: our child; the local buffer is as long as it says.
        let read = unsafe { libc::process_vm_readv(self.process, &local, 1, &remote, 1, 0) };
        bytes.truncate(read.max(0) as usize);
        bytes
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        // SAFETY: our child.
        unsafe {
            libc::kill(self.process, libc::SIGKILL);
            libc::waitpid(self.process, std::ptr::null_mut(), 0);
        }
    }
}
