//! The sandbox that every run of somebody's code is in: it may read files, compute
//! and print, but not write outside its scratch folder, nor start or signal other
//! processes, nor talk to a network.
//!
//! What is forbidden fails with EPERM (EACCES where Landlock says it) instead of
//! killing, since a program that cannot write its log usually goes on.

use crate::Limits;
use landlock::{
    ABI, Access, AccessFs, PathBeneath, PathFd, Ruleset, RulesetAttr, RulesetCreated,
    RulesetCreatedAttr,
};
use nanoscope_program::Fault;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch,
};
use std::collections::BTreeMap;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::Path;

/// What protects this machine from the code that is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sandbox {
    /// The kernel confines file access. Without, opening for writing is forbidden
    /// altogether, scratch folder or not.
    pub landlock: bool,
    /// System calls are filtered.
    pub seccomp: bool,
}

/// The rules, made ready once so that entering them costs three system calls.
pub(crate) struct Walls {
    ruleset: Option<OwnedFd>,
    filter: Option<BpfProgram>,
    memory: u64,
}

/// Stands in the filter where the child's process id belongs, which is not known
/// before it exists. No real id is this large (PID_MAX_LIMIT is 2^22).
const OWN_ID: u32 = 0x7edc_ba98;

impl Walls {
    pub(crate) fn new(limits: &Limits) -> Result<Walls, Fault> {
        let ruleset = file_rules(limits.scratch.as_deref())?;
        let filter = call_rules(ruleset.is_some())?;
        // A kernel without seccomp refuses at entry; ask before.
        // SAFETY: reads a process attribute.
        let known = unsafe { libc::prctl(libc::PR_GET_SECCOMP, 0, 0, 0, 0) } >= 0;
        Ok(Walls { ruleset, filter: known.then_some(filter), memory: limits.memory })
    }

    pub(crate) fn in_force(&self) -> Sandbox {
        Sandbox { landlock: self.ruleset.is_some(), seccomp: self.filter.is_some() }
    }

    /// The descriptor that has to stay open until [`Walls::enter`].
    pub(crate) fn descriptor(&self) -> Option<i32> {
        self.ruleset.as_ref().map(|fd| fd.as_raw_fd())
    }

    /// The system call filter as the kernel takes it, with [`OWN_ID`] in it, for a process
    /// that goes in by itself.
    pub(crate) fn filter(&self) -> Option<Vec<u8>> {
        let words = self.filter.as_ref()?.iter().flat_map(|instruction| {
            let mut bytes = instruction.code.to_ne_bytes().to_vec();
            bytes.extend([instruction.jt, instruction.jf]);
            bytes.extend(instruction.k.to_ne_bytes());
            bytes
        });
        Some(words.collect())
    }

    /// Goes in, for good. Called in a forked child; false when the kernel refuses.
    pub(crate) fn enter(&self) -> bool {
        limit(libc::RLIMIT_CORE, 0);
        limit(libc::RLIMIT_FSIZE, 16 << 20);
        limit(libc::RLIMIT_AS, address_space_in_use().saturating_add(self.memory));
        // SAFETY: plain system calls on our own process.
        unsafe {
            if libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 {
                return false;
            }
            if let Some(ruleset) = &self.ruleset {
                let fd = ruleset.as_raw_fd();
                if libc::syscall(libc::SYS_landlock_restrict_self, fd, 0) != 0 {
                    return false;
                }
                libc::close(fd);
            }
        }
        let Some(filter) = &self.filter else { return true };
        // SAFETY: cannot fail.
        let id = unsafe { libc::getpid() } as u32;
        let mut own = filter.clone();
        for instruction in &mut own {
            if instruction.k == OWN_ID {
                instruction.k = id;
            }
        }
        seccompiler::apply_filter(&own).is_ok()
    }
}

/// Read everything, write below `scratch`. None where the kernel has no Landlock.
fn file_rules(scratch: Option<&Path>) -> Result<Option<OwnedFd>, Fault> {
    let abi = ABI::V3; // the first that can forbid truncating
    let build = || -> Result<RulesetCreated, Box<dyn std::error::Error>> {
        let mut rules = Ruleset::default().handle_access(AccessFs::from_all(abi))?.create()?;
        let root = PathFd::new("/")?;
        rules = rules.add_rule(PathBeneath::new(root, AccessFs::ReadFile | AccessFs::ReadDir))?;
        if let Some(scratch) = scratch {
            let mut writes = AccessFs::from_all(abi);
            writes.remove(AccessFs::Execute);
            rules = rules.add_rule(PathBeneath::new(PathFd::new(scratch)?, writes))?;
        }
        Ok(rules)
    };
    if let Some(scratch) = scratch
        && !scratch.is_dir()
    {
        let scratch = scratch.display();
        return Err(Fault::User(format!("scratch folder {scratch} is not there: create it")));
    }
    match build() {
        Ok(rules) => Ok(rules.into()),
        Err(error) => Err(Fault::Internal(format!("cannot make Landlock rules: {error}"))),
    }
}

fn limit(resource: libc::__rlimit_resource_t, most: u64) {
    let limit = libc::rlimit { rlim_cur: most, rlim_max: most };
    // SAFETY: `limit` lives; lowering one's own limits is always allowed.
    unsafe { libc::setrlimit(resource, &limit) };
}

/// From /proc/self/statm, first field, in pages; without allocating.
fn address_space_in_use() -> u64 {
    let mut text = [0u8; 64];
    // SAFETY: a constant path, a buffer of the length given.
    let length = unsafe {
        let fd = libc::open(c"/proc/self/statm".as_ptr(), libc::O_RDONLY);
        let length = libc::read(fd, text.as_mut_ptr().cast(), text.len());
        libc::close(fd);
        length
    };
    let digits = text[..length.max(0) as usize].iter().take_while(|c| c.is_ascii_digit());
    let pages = digits.fold(0u64, |number, digit| number * 10 + u64::from(digit - b'0'));
    pages * crate::shared::PAGE as u64
}

/// Calls that only compute, read, or print.
#[rustfmt::skip]
const HARMLESS: &[i64] = &[
    libc::SYS_read, libc::SYS_pread64, libc::SYS_readv, libc::SYS_preadv, libc::SYS_write,
    libc::SYS_pwrite64, libc::SYS_writev, libc::SYS_pwritev, libc::SYS_close, libc::SYS_lseek,
    libc::SYS_stat, libc::SYS_fstat, libc::SYS_lstat, libc::SYS_newfstatat, libc::SYS_statx,
    libc::SYS_access, libc::SYS_faccessat, libc::SYS_faccessat2, libc::SYS_readlink,
    libc::SYS_readlinkat, libc::SYS_getcwd, libc::SYS_getdents64, libc::SYS_dup, libc::SYS_dup2,
    libc::SYS_dup3, libc::SYS_pipe, libc::SYS_pipe2, libc::SYS_fsync, libc::SYS_fdatasync,
    libc::SYS_poll, libc::SYS_ppoll, libc::SYS_select, libc::SYS_pselect6, libc::SYS_mmap,
    libc::SYS_mprotect, libc::SYS_munmap, libc::SYS_mremap, libc::SYS_madvise, libc::SYS_brk,
    libc::SYS_msync, libc::SYS_mincore, libc::SYS_rt_sigaction, libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn, libc::SYS_rt_sigpending, libc::SYS_sigaltstack, libc::SYS_alarm,
    libc::SYS_setitimer, libc::SYS_getitimer, libc::SYS_pause, libc::SYS_nanosleep,
    libc::SYS_clock_nanosleep, libc::SYS_clock_gettime, libc::SYS_clock_getres,
    libc::SYS_gettimeofday, libc::SYS_time, libc::SYS_times, libc::SYS_getrusage, libc::SYS_getpid,
    libc::SYS_gettid, libc::SYS_getppid, libc::SYS_getuid, libc::SYS_geteuid, libc::SYS_getgid,
    libc::SYS_getegid, libc::SYS_uname, libc::SYS_sysinfo, libc::SYS_getrandom,
    libc::SYS_sched_yield, libc::SYS_sched_getaffinity, libc::SYS_getcpu, libc::SYS_futex,
    libc::SYS_arch_prctl, libc::SYS_set_robust_list, libc::SYS_rseq, libc::SYS_getrlimit,
    libc::SYS_restart_syscall, libc::SYS_exit, libc::SYS_exit_group,
];

/// Calls that change the file system: allowed where Landlock confines them. Not
/// truncate, which Landlock knows only since its third version (Linux 6.2).
#[rustfmt::skip]
const CONFINED: &[i64] = &[
    libc::SYS_creat, libc::SYS_mkdir, libc::SYS_mkdirat, libc::SYS_rmdir, libc::SYS_unlink,
    libc::SYS_unlinkat, libc::SYS_rename, libc::SYS_renameat, libc::SYS_renameat2,
    libc::SYS_ftruncate, libc::SYS_open, libc::SYS_openat,
];

fn call_rules(landlock: bool) -> Result<BpfProgram, Fault> {
    let refused = |error: &dyn std::error::Error| {
        Fault::Internal(format!("cannot make the system call filter: {error}"))
    };
    let when = |argument, operator, value: u64| -> Result<SeccompRule, Fault> {
        SeccompCondition::new(argument, SeccompCmpArgLen::Dword, operator, value)
            .and_then(|condition| SeccompRule::new(vec![condition]))
            .map_err(|error| refused(&error))
    };
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = BTreeMap::new();
    rules.extend(HARMLESS.iter().map(|call| (*call, Vec::new())));
    if landlock {
        rules.extend(CONFINED.iter().map(|call| (*call, Vec::new())));
    } else {
        let writing = (libc::O_ACCMODE | libc::O_CREAT | libc::O_TRUNC) as u64;
        let reading = SeccompCmpOp::MaskedEq(writing);
        rules.insert(libc::SYS_open, vec![when(1, reading.clone(), 0)?]);
        rules.insert(libc::SYS_openat, vec![when(2, reading, 0)?]);
    }
    // Signals only to itself: abort() and raise() need that.
    let own = u64::from(OWN_ID);
    for call in [libc::SYS_kill, libc::SYS_tkill, libc::SYS_tgkill] {
        rules.insert(call, vec![when(0, SeccompCmpOp::Eq, own)?]);
    }
    // Whether a descriptor is a terminal; and harmless questions about descriptors.
    rules.insert(libc::SYS_ioctl, vec![when(1, SeccompCmpOp::Eq, libc::TCGETS)?]);
    let questions =
        [libc::F_DUPFD, libc::F_DUPFD_CLOEXEC, libc::F_GETFD, libc::F_SETFD, libc::F_GETFL];
    let mut allowed = Vec::new();
    for question in questions {
        allowed.push(when(1, SeccompCmpOp::Eq, question as u64)?);
    }
    rules.insert(libc::SYS_fcntl, allowed);
    // Reading limits, not setting them: the new limit's address is null.
    let null = SeccompCondition::new(2, SeccompCmpArgLen::Qword, SeccompCmpOp::Eq, 0)
        .and_then(|condition| SeccompRule::new(vec![condition]))
        .map_err(|error| refused(&error))?;
    rules.insert(libc::SYS_prlimit64, vec![null]);
    SeccompFilter::new(
        rules,
        SeccompAction::Errno(libc::EPERM as u32),
        SeccompAction::Allow,
        TargetArch::x86_64,
    )
    .and_then(BpfProgram::try_from)
    .map_err(|error| refused(&error))
}

#[cfg(test)]
mod tests;
