//! Fork servers: a process for each library and thread that forks the processes which run its
//! code.
//!
//! After a fork every page that the parent writes to is copied, and other processors are told;
//! a process with many threads and much memory would pay that for every function. It forks a
//! server once instead, which has a copy of all that was known, but one thread and nothing to
//! write. The server makes its processes children of its parent (`CLONE_PARENT`), who waits for
//! them as for its own. It never runs the code under test itself.

use crate::Limits;
use crate::child::{
    Child, Descriptors, become_child, last_error, leave, null_device, on_fresh_stack,
};
use crate::runner::Observer;
use crate::sandbox::{Sandbox, Walls};
use crate::shared::Shared;
use crate::text::Text;
use nanoscope_program::{Fault, Site};
use std::cell::RefCell;
use std::convert::Infallible;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;

/// What a process is started with.
pub(crate) struct Order<'a> {
    /// What the server's body makes of them is its own affair.
    pub(crate) numbers: &'a [u64],
    pub(crate) memory: &'a Shared,
    /// Signalled to it, and by it.
    pub(crate) events: (RawFd, RawFd),
    /// Standard output and standard error; none, /dev/null.
    pub(crate) output: Option<(RawFd, RawFd)>,
}

/// The most numbers of an order.
const NUMBERS: usize = 16;

/// The most descriptors: memory, two events, two outputs.
const DESCRIPTORS: usize = 5;

/// What the processes of a server do: with the numbers and the memory of their order, and its
/// events.
pub(crate) type Body<'a> = &'a dyn Fn(&[u64], Shared, (RawFd, RawFd)) -> Infallible;

/// What a server's processes run, and within which walls.
pub(crate) struct Subject {
    pub(crate) library: PathBuf,
    pub(crate) role: Role,
    memory: u64,
    scratch: Option<PathBuf>,
}

/// What a server knows besides its library. Known by their addresses: the subject keeps them.
pub(crate) enum Role {
    Search(Arc<dyn Observer>),
    Replay(Arc<Text>, Arc<Vec<Site>>),
}

impl Subject {
    pub(crate) fn new(library: PathBuf, role: Role, limits: &Limits) -> Subject {
        Subject { library, role, memory: limits.memory, scratch: limits.scratch.clone() }
    }
}

impl PartialEq for Subject {
    fn eq(&self, other: &Subject) -> bool {
        let same_role = match (&self.role, &other.role) {
            (Role::Search(one), Role::Search(two)) => {
                std::ptr::addr_eq(Arc::as_ptr(one), Arc::as_ptr(two))
            }
            (Role::Replay(text, sites), Role::Replay(other_text, other_sites)) => {
                Arc::ptr_eq(text, other_text) && Arc::ptr_eq(sites, other_sites)
            }
            (Role::Search(_), Role::Replay(..)) | (Role::Replay(..), Role::Search(_)) => false,
        };
        same_role
            && self.library == other.library
            && self.memory == other.memory
            && self.scratch == other.scratch
    }
}

/// A process that forks others. Dropping ends it, not those.
pub(crate) struct ForkServer {
    socket: OwnedFd,
    sandbox: Sandbox,
    _process: Child,
}

/// The servers that a thread keeps: of a program with probes, without, as it is written, with
/// checks.
const KEPT: usize = 4;

thread_local! {
    /// The latest first.
    static SERVERS: RefCell<Vec<(Subject, Rc<ForkServer>)>> = const { RefCell::new(Vec::new()) };
}

impl ForkServer {
    /// This thread's server of a subject, started if there is none.
    pub(crate) fn of(
        subject: Subject,
        limits: &Limits,
        body: Body,
    ) -> Result<Rc<ForkServer>, Fault> {
        let known = SERVERS.with_borrow_mut(|servers| {
            let at = servers.iter().position(|(known, _)| *known == subject)?;
            Some(servers.remove(at))
        });
        let server = match known {
            Some(server) => server,
            None => (subject, Rc::new(ForkServer::start(&Walls::new(limits)?, body)?)),
        };
        let kept = Rc::clone(&server.1);
        SERVERS.with_borrow_mut(|servers| {
            servers.truncate(KEPT - 1);
            servers.insert(0, server);
        });
        Ok(kept)
    }

    pub(crate) fn start(walls: &Walls, body: Body) -> Result<ForkServer, Fault> {
        let mut pair = [0; 2];
        let kind = libc::SOCK_SEQPACKET | libc::SOCK_CLOEXEC;
        // SAFETY: fills in two descriptors, which nobody else owns.
        let (ours, theirs) = unsafe {
            if libc::socketpair(libc::AF_UNIX, kind, 0, pair.as_mut_ptr()) != 0 {
                return Err(last_error("cannot make a pair of sockets"));
            }
            (OwnedFd::from_raw_fd(pair[0]), OwnedFd::from_raw_fd(pair[1]))
        };
        let silence = null_device()?;
        // SAFETY: cannot fail.
        let parent = unsafe { libc::getpid() };
        let mut keep = vec![theirs.as_raw_fd(), silence];
        keep.extend(walls.descriptor());
        let process = Child::fork(None, &Descriptors { output: None, keep: &keep }, &mut || {
            serve(theirs.as_raw_fd(), (parent, silence), walls, body)
        })?;
        Ok(ForkServer { socket: ours, sandbox: walls.in_force(), _process: process })
    }

    /// What protects the machine from the code that its processes run.
    pub(crate) fn sandbox(&self) -> Sandbox {
        self.sandbox
    }

    /// Starts a process.
    pub(crate) fn fork(&self, order: &Order) -> Result<Child, Fault> {
        assert!(order.numbers.len() <= NUMBERS);
        let (wake, done) = order.events;
        let mut descriptors = vec![order.memory.descriptor(), wake, done];
        descriptors.extend(order.output.iter().flat_map(|(output, errors)| [*output, *errors]));
        let mut answer = 0i64;
        // SAFETY: the buffer is as long as said.
        let received = unsafe {
            send(self.socket.as_raw_fd(), order.numbers, &descriptors)
                && again(|| libc::recv(self.socket.as_raw_fd(), (&raw mut answer).cast(), 8, 0))
                    == 8
        };
        match answer {
            1.. if received => Child::watched(answer as libc::pid_t),
            _ => {
                // The next who asks gets another server.
                SERVERS.with_borrow_mut(|servers| {
                    servers.retain(|(_, it)| !std::ptr::eq(&**it, self))
                });
                Err(Fault::Internal(match answer {
                    0 => "the process that forks workers is gone".into(),
                    _ => {
                        let error = std::io::Error::from_raw_os_error(-answer as i32);
                        format!("cannot fork: {error}")
                    }
                }))
            }
        }
    }
}

/// The server: a process for each order, until nobody can order any more.
fn serve(
    socket: RawFd,
    (parent, silence): (libc::pid_t, RawFd),
    walls: &Walls,
    body: Body,
) -> Infallible {
    // The thread's other servers are not ours; `exit` would end them with the thread's variables.
    SERVERS.with_borrow_mut(|servers| std::mem::forget(std::mem::take(servers)));
    loop {
        let Some((numbers, descriptors)) = receive(socket) else { leave(0) };
        let [memory, wake, done, ref output @ ..] = descriptors[..] else { leave(1) };
        let flags = libc::CLONE_PARENT | libc::SIGCHLD;
        // SAFETY: a fork by another name, of a process with one thread: the child goes on with
        // a copy of everything, and never returns from here.
        let id = unsafe { libc::syscall(libc::SYS_clone, flags, 0, 0, 0, 0) };
        if id == 0 {
            let Ok(memory) = Shared::map(memory) else { leave(crate::child::NOT_SET_UP) };
            let output = match *output {
                [output, errors] => Some((output, errors)),
                _ => None,
            };
            let mut memory = Some(memory);
            // SAFETY: a fresh child.
            unsafe {
                become_child(
                    parent,
                    silence,
                    &Descriptors { output, keep: &[wake, done] },
                    Some(walls),
                );
                on_fresh_stack(&mut || match memory.take() {
                    Some(memory) => body(&numbers, memory, (wake, done)),
                    None => leave(1),
                });
            }
        }
        let answer = match id {
            1.. => id,
            _ => -i64::from(std::io::Error::last_os_error().raw_os_error().unwrap_or(libc::EAGAIN)),
        };
        // SAFETY: descriptors that were made for this process; a buffer as long as said.
        unsafe {
            for descriptor in descriptors {
                libc::close(descriptor);
            }
            if again(|| libc::send(socket, (&raw const answer).cast(), 8, libc::MSG_NOSIGNAL)) != 8
            {
                leave(0);
            }
        }
    }
}

/// A system call, until no signal interrupts it.
fn again(mut call: impl FnMut() -> isize) -> isize {
    loop {
        let result = call();
        if result >= 0 || std::io::Error::last_os_error().raw_os_error() != Some(libc::EINTR) {
            return result;
        }
    }
}

/// Room for a message's descriptors, aligned as the kernel wants it.
type Control = [u64; 8];

/// # Safety
/// A socket of ours and open descriptors.
unsafe fn send(socket: RawFd, numbers: &[u64], descriptors: &[RawFd]) -> bool {
    assert!(descriptors.len() <= DESCRIPTORS);
    let bytes = size_of_val(numbers);
    let mut part = libc::iovec { iov_base: numbers.as_ptr().cast_mut().cast(), iov_len: bytes };
    let mut control: Control = [0; 8];
    // SAFETY: the header has its buffers from here; the descriptors fit into the control's room.
    unsafe {
        let length = size_of_val(descriptors) as u32;
        let mut message: libc::msghdr = std::mem::zeroed();
        message.msg_iov = &raw mut part;
        message.msg_iovlen = 1;
        message.msg_control = control.as_mut_ptr().cast();
        message.msg_controllen = libc::CMSG_SPACE(length) as usize;
        let header = libc::CMSG_FIRSTHDR(&message);
        (*header).cmsg_level = libc::SOL_SOCKET;
        (*header).cmsg_type = libc::SCM_RIGHTS;
        (*header).cmsg_len = libc::CMSG_LEN(length) as usize;
        let to = libc::CMSG_DATA(header).cast::<RawFd>();
        std::ptr::copy_nonoverlapping(descriptors.as_ptr(), to, descriptors.len());
        again(|| libc::sendmsg(socket, &message, libc::MSG_NOSIGNAL)) == bytes as isize
    }
}

/// An order's numbers and descriptors; none when nobody can send any more.
fn receive(socket: RawFd) -> Option<(Vec<u64>, Vec<RawFd>)> {
    let mut numbers = [0u64; NUMBERS];
    let mut part =
        libc::iovec { iov_base: numbers.as_mut_ptr().cast(), iov_len: size_of_val(&numbers) };
    let mut control: Control = [0; 8];
    // SAFETY: the header has its buffers from here; what the kernel wrote is read within the
    // lengths it says.
    unsafe {
        let mut message: libc::msghdr = std::mem::zeroed();
        message.msg_iov = &raw mut part;
        message.msg_iovlen = 1;
        message.msg_control = control.as_mut_ptr().cast();
        message.msg_controllen = size_of_val(&control);
        let bytes = again(|| libc::recvmsg(socket, &mut message, libc::MSG_CMSG_CLOEXEC));
        let header = libc::CMSG_FIRSTHDR(&message);
        if bytes <= 0 || header.is_null() || (*header).cmsg_type != libc::SCM_RIGHTS {
            return None;
        }
        let length = (*header).cmsg_len - libc::CMSG_LEN(0) as usize;
        let from = libc::CMSG_DATA(header).cast::<RawFd>();
        let descriptors = (0..length / size_of::<RawFd>()).map(|at| *from.add(at)).collect();
        Some((numbers[..bytes as usize / 8].to_vec(), descriptors))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Death;
    use crate::child::event;

    /// Its processes are children of this one, which reaps them; they see the memory, and none of
    /// them ends the others. A server that is gone is a fault, not a hang.
    #[test]
    fn serves_until_it_is_gone() {
        let walls = Walls::new(&Limits::default()).unwrap();
        let server = ForkServer::start(&walls, &|numbers, memory, _| {
            // SAFETY: the first word of the memory; cannot fail.
            unsafe {
                *memory.at::<u64>(0) += numbers[0];
                leave(libc::getppid() % 100)
            }
        });
        let server = server.unwrap();
        let (memory, idle) = (Shared::new(8).unwrap(), event().unwrap());
        let events = (idle.as_raw_fd(), idle.as_raw_fd());
        let fork = |number: u64| {
            server.fork(&Order { numbers: &[number], memory: &memory, events, output: None })
        };
        for number in [3, 4] {
            let mut child = fork(number).unwrap();
            assert_eq!(child.reap(), Death::Exited(std::process::id() as i32 % 100));
        }
        // SAFETY: the first word; nobody else is left to write it.
        assert_eq!(unsafe { *memory.at::<u64>(0) }, 7);
        server._process.kill();
        let fault = fork(1).err().expect("a fault");
        assert!(fault.to_string().contains("gone"), "{fault}");
    }
}
