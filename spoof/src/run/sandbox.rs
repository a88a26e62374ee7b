//! The walls around the subject: it writes below its scratch folder and nowhere else, has no
//! network, and signals nobody outside. What is forbidden fails with an error number.

use landlock::{
    ABI, AccessFs, PathBeneath, PathFd, Ruleset, RulesetAttr, RulesetCreatedAttr, Scope,
};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch,
};
use std::collections::BTreeMap;
use std::error::Error;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::Path;

/// Where the agent keeps what it tells the kernel about signals; see `agent/protocol.h`.
const ACTION_ADDRESS: u64 = 0x6e61_0000_0000;

/// The rules, ready to be entered.
pub struct Walls {
    ruleset: Option<OwnedFd>,
    filters: Vec<BpfProgram>,
}

impl Walls {
    /// Walls that leave `scratch` open.
    pub fn around(scratch: &Path) -> Result<Walls, Box<dyn Error>> {
        let ruleset = file_rules(scratch)?;
        let filters = vec![forbidden(ruleset.is_some())?, signal_handlers()?];
        Ok(Walls { ruleset, filters })
    }

    /// Whether the kernel confines writing to the scratch folder; otherwise nothing can be
    /// written at all.
    pub fn confines_files(&self) -> bool {
        self.ruleset.is_some()
    }

    /// Goes in, for good; called in the child between fork and exec.
    pub fn enter(&self) -> io::Result<()> {
        // SAFETY: plain system calls on our own process.
        unsafe {
            if libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 {
                return Err(io::Error::last_os_error());
            }
            if let Some(ruleset) = &self.ruleset
                && libc::syscall(libc::SYS_landlock_restrict_self, ruleset.as_raw_fd(), 0) != 0
            {
                return Err(io::Error::last_os_error());
            }
        }
        for filter in &self.filters {
            seccompiler::apply_filter(filter).map_err(|_| io::Error::last_os_error())?;
        }
        Ok(())
    }
}

/// None where the kernel has no Landlock.
fn file_rules(scratch: &Path) -> Result<Option<OwnedFd>, Box<dyn Error>> {
    let abi = ABI::V3; // the first that can forbid truncating
    let writes = AccessFs::from_write(abi);
    let mut rules = Ruleset::default().handle_access(writes)?.scope(Scope::Signal)?.create()?;
    rules = rules.add_rule(PathBeneath::new(PathFd::new(scratch)?, writes))?;
    for device in ["/dev/null", "/dev/zero", "/dev/full"] {
        if let Ok(device) = PathFd::new(device) {
            rules = rules.add_rule(PathBeneath::new(device, AccessFs::WriteFile))?;
        }
    }
    Ok(rules.into())
}

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

fn filter(rules: Rules, error: i32) -> Result<BpfProgram, Box<dyn Error>> {
    let action = SeccompAction::Errno(error.unsigned_abs());
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, action, TargetArch::x86_64)?;
    Ok(BpfProgram::try_from(filter)?)
}

fn when(
    argument: u8,
    length: SeccompCmpArgLen,
    operator: SeccompCmpOp,
    value: u64,
) -> Result<SeccompCondition, Box<dyn Error>> {
    Ok(SeccompCondition::new(argument, length, operator, value)?)
}

/// The network, and what only an administrator needs.
fn forbidden(landlock: bool) -> Result<BpfProgram, Box<dyn Error>> {
    let mut rules: Rules = [
        libc::SYS_ptrace,
        libc::SYS_process_vm_writev,
        libc::SYS_mount,
        libc::SYS_umount2,
        libc::SYS_pivot_root,
        libc::SYS_chroot,
        libc::SYS_reboot,
        libc::SYS_swapon,
        libc::SYS_swapoff,
        libc::SYS_init_module,
        libc::SYS_finit_module,
        libc::SYS_delete_module,
        libc::SYS_kexec_load,
        libc::SYS_setns,
        libc::SYS_unshare,
        libc::SYS_bpf,
        libc::SYS_settimeofday,
        libc::SYS_clock_settime,
        libc::SYS_sethostname,
        libc::SYS_io_uring_setup,
    ]
    .into_iter()
    .map(|call| (call, Vec::new()))
    .collect();
    let dword = || SeccompCmpArgLen::Dword;
    let local = libc::AF_UNIX as u64;
    let remote = SeccompRule::new(vec![when(0, dword(), SeccompCmpOp::Ne, local)?])?;
    rules.insert(libc::SYS_socket, vec![remote]);
    if !landlock {
        // Nothing confines writing, so there is none.
        for (call, argument) in [(libc::SYS_open, 1), (libc::SYS_openat, 2)] {
            let mut any = Vec::new();
            for flag in [libc::O_WRONLY, libc::O_RDWR, libc::O_CREAT, libc::O_TRUNC] {
                let set = SeccompCmpOp::MaskedEq(flag as u64);
                any.push(SeccompRule::new(vec![when(argument, dword(), set, flag as u64)?])?);
            }
            rules.insert(call, any);
        }
        for call in [
            libc::SYS_creat,
            libc::SYS_openat2,
            libc::SYS_truncate,
            libc::SYS_unlink,
            libc::SYS_unlinkat,
            libc::SYS_rename,
            libc::SYS_renameat,
            libc::SYS_renameat2,
            libc::SYS_rmdir,
        ] {
            rules.insert(call, Vec::new());
        }
    }
    filter(rules, libc::EPERM)
}

/// Nobody but the agent handles SIGTRAP: who tries is told that it worked. The run-time library
/// of gfortran, for one, takes every signal.
fn signal_handlers() -> Result<BpfProgram, Box<dyn Error>> {
    let trap = when(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, libc::SIGTRAP as u64)?;
    let other = when(1, SeccompCmpArgLen::Qword, SeccompCmpOp::Ne, ACTION_ADDRESS)?;
    let mut rules = Rules::new();
    rules.insert(libc::SYS_rt_sigaction, vec![SeccompRule::new(vec![trap, other])?]);
    filter(rules, 0)
}
