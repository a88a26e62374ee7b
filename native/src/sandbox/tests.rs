//! The sandbox around a child of ours.

use super::*;
use crate::Death;
use crate::child::{event, leave};
use crate::fork_server::{ForkServer, Order};
use crate::shared::Shared;

/// Without Landlock the filter alone keeps a program from writing.
#[test]
fn no_landlock_no_writing() {
    let filter = call_rules(false).unwrap();
    let walls = Walls { ruleset: None, filter: Some(filter), memory: 64 << 20 };
    let server = ForkServer::start(&walls, &|numbers, _, _| {
        // SAFETY: a constant path and plain flags.
        let fd = unsafe { libc::open(c"/dev/null".as_ptr(), numbers[0] as i32, 0o600) };
        leave(i32::from(fd >= 0))
    });
    let server = server.unwrap();
    let (memory, idle) = (Shared::new(1).unwrap(), event().unwrap());
    let events = (idle.as_raw_fd(), idle.as_raw_fd());
    let open = |flags: i32| {
        let order = Order { numbers: &[flags as u64], memory: &memory, events, output: None };
        server.fork(&order).unwrap().reap()
    };
    assert_eq!(open(libc::O_RDONLY), Death::Exited(1));
    assert_eq!(open(libc::O_WRONLY), Death::Exited(0));
    assert_eq!(open(libc::O_RDWR), Death::Exited(0));
    assert_eq!(open(libc::O_RDONLY | libc::O_CREAT), Death::Exited(0));
    assert_eq!(open(libc::O_RDONLY | libc::O_TRUNC), Death::Exited(0));
    assert_eq!(walls.in_force(), Sandbox { landlock: false, seccomp: true });
}
