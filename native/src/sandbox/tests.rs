//! The sandbox around a child of ours.

use super::*;
use crate::Death;
use crate::child::{Child, Descriptors, leave};

/// Without Landlock the filter alone keeps a program from writing.
#[test]
fn no_landlock_no_writing() {
    let filter = call_rules(false).unwrap();
    let walls = Walls { ruleset: None, filter: Some(filter), memory: 64 << 20 };
    let open = |flags: i32| {
        let descriptors = Descriptors { output: None, keep: &[] };
        let mut child = Child::fork(&walls, &descriptors, &mut || {
            // SAFETY: a constant path and plain flags.
            let fd = unsafe { libc::open(c"/dev/null".as_ptr(), flags, 0o600) };
            leave(i32::from(fd >= 0))
        });
        child.as_mut().unwrap().reap()
    };
    assert_eq!(open(libc::O_RDONLY), Death::Exited(1));
    assert_eq!(open(libc::O_WRONLY), Death::Exited(0));
    assert_eq!(open(libc::O_RDWR), Death::Exited(0));
    assert_eq!(open(libc::O_RDONLY | libc::O_CREAT), Death::Exited(0));
    assert_eq!(open(libc::O_RDONLY | libc::O_TRUNC), Death::Exited(0));
    assert_eq!(walls.in_force(), Sandbox { landlock: false, seccomp: true });
}
