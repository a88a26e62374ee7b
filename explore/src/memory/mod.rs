//! Memory: objects by number, and what they hold.
//!
//! An address is the number of its object in the upper half and an offset in the lower one, so
//! finding an object is an index, and casts between pointers and integers change nothing.
//! Object 0 never exists: null and small numbers point nowhere. Copying a memory shares all
//! of it; an object is copied when one of the sharers writes to it. All sharers live on one
//! thread: counting them costs next to nothing then, which every store would pay for.
//!
//! - `object.rs`: an object's bytes, and the unknown values that lie over them
//! - `access.rs`: loads and stores of typed values at known places
//! - `block.rs`: copying, filling, strings, initial values
//! - `spread.rs`: loads and stores at places that are not known

mod access;
mod block;
mod object;
mod spread;

pub use object::{Kind, Object};

use crate::compute::Trouble;
use nanoscope_term::{BitsOp, Term, Terms};
use std::rc::Rc;
use std::sync::Arc;

/// The number of an object. The upper half of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectId(pub u32);

impl ObjectId {
    /// The address of its first byte.
    pub const fn address(self) -> u64 {
        (self.0 as u64) << 32
    }

    /// The object that an address points into, if there is one, and the offset in it.
    pub const fn of(address: u64) -> (ObjectId, u64) {
        (ObjectId((address >> 32) as u32), address & 0xffff_ffff)
    }
}

/// What is at an object's number.
#[derive(Clone, Debug)]
enum Slot {
    /// Nothing yet.
    Unused,
    /// An object.
    Alive(Rc<Object>),
    /// It was freed.
    Freed,
    /// It was a local variable; its function has returned.
    Returned,
}

const SLOTS: usize = 64;

/// Some objects with numbers next to each other.
#[derive(Clone, Debug)]
struct Page {
    slots: [Slot; SLOTS],
    /// How many are not local variables that have ended.
    lasting: u32,
}

/// All objects of a state.
#[derive(Clone, Debug)]
pub struct Memory {
    /// A page of which nothing but ended local variables remains is `None`.
    pages: Vec<Option<Rc<Page>>>,
    next: u32,
}

/// Objects are at most this large.
pub const LARGEST: u64 = 1 << 31;

impl Default for Memory {
    fn default() -> Memory {
        Memory::new()
    }
}

impl Memory {
    /// Nothing but the place where null points.
    pub fn new() -> Memory {
        Memory { pages: Vec::new(), next: 1 }
    }

    /// A new object and its address. Its bytes are undefined for local variables and on the
    /// heap, else zero; [`Memory::fill`] makes others of them.
    pub fn allocate(
        &mut self,
        size: u64,
        kind: Kind,
        name: Option<Arc<str>>,
    ) -> Result<u64, Trouble> {
        if size > LARGEST {
            return Err(Trouble::TooLarge);
        }
        let number = self.next;
        self.next = number.checked_add(1).ok_or(Trouble::TooLarge)?;
        let (page, slot) = place(number);
        if page == self.pages.len() {
            if let Some(last @ Some(_)) = self.pages.last_mut()
                && last.as_ref().is_some_and(|page| page.lasting == 0)
            {
                *last = None;
            }
            let slots = [const { Slot::Unused }; SLOTS];
            self.pages.push(Some(Rc::new(Page { slots, lasting: SLOTS as u32 })));
        }
        let page = self.pages[page].as_mut().expect("the last page has unused slots");
        Rc::make_mut(page).slots[slot] = Slot::Alive(Rc::new(Object::new(size, kind, name)));
        Ok(ObjectId(number).address())
    }

    /// Ends a local variable.
    pub fn end_local(&mut self, id: ObjectId) {
        self.end(id, Slot::Returned);
    }

    /// Frees an object of the heap by its address; null is nothing to free.
    pub fn free(&mut self, address: u64) -> Result<(), Trouble> {
        if address == 0 {
            return Ok(());
        }
        let (id, offset) = ObjectId::of(address);
        match self.slot(id) {
            Some(Slot::Alive(object)) if object.kind() == Kind::Heap && offset == 0 => {
                self.end(id, Slot::Freed);
                Ok(())
            }
            Some(Slot::Freed) if offset == 0 => Err(Trouble::DoubleFree(id)),
            Some(Slot::Alive(_) | Slot::Freed | Slot::Returned | Slot::Unused) | None => {
                Err(Trouble::InvalidFree)
            }
        }
    }

    fn end(&mut self, id: ObjectId, end: Slot) {
        let (at, slot) = place(id.0);
        let Some(Some(page)) = self.pages.get_mut(at) else { return };
        let last = at + 1 == (self.next as usize).div_ceil(SLOTS);
        let page = Rc::make_mut(page);
        if !matches!(page.slots[slot], Slot::Alive(_)) {
            return;
        }
        if matches!(end, Slot::Returned) {
            page.lasting -= 1;
        }
        page.slots[slot] = end;
        // The slot of number 0 lasts, so the first page stays.
        if page.lasting == 0 && !last {
            self.pages[at] = None;
        }
    }

    fn slot(&self, id: ObjectId) -> Option<&Slot> {
        let (page, slot) = place(id.0);
        match self.pages.get(page)? {
            Some(page) => Some(&page.slots[slot]),
            None => Some(&Slot::Returned),
        }
    }

    /// A living object by its number.
    #[inline]
    pub fn object(&self, id: ObjectId) -> Option<&Object> {
        match self.slot(id) {
            Some(Slot::Alive(object)) => Some(object),
            Some(Slot::Unused | Slot::Freed | Slot::Returned) | None => None,
        }
    }

    #[inline]
    fn object_mut(&mut self, id: ObjectId) -> Option<&mut Object> {
        let (page, slot) = place(id.0);
        match &mut Rc::make_mut(self.pages.get_mut(page)?.as_mut()?).slots[slot] {
            Slot::Alive(object) => Some(Rc::make_mut(object)),
            Slot::Unused | Slot::Freed | Slot::Returned => None,
        }
    }

    /// The living object that an address points into, or why there is none.
    pub fn target(&self, address: u64) -> Result<ObjectId, Trouble> {
        let (id, _) = ObjectId::of(address);
        match self.slot(id) {
            Some(Slot::Alive(_)) => Ok(id),
            Some(Slot::Freed) => Err(Trouble::UseAfterFree(id)),
            Some(Slot::Returned) => Err(Trouble::UseAfterReturn(id)),
            Some(Slot::Unused) | None if id.0 == 0 => Err(Trouble::Null),
            Some(Slot::Unused) | None => Err(Trouble::Wild),
        }
    }

    /// The object and offset of an access to so many bytes, or what is wrong with it.
    pub fn locate(
        &self,
        address: u64,
        bytes: u64,
        write: bool,
    ) -> Result<(ObjectId, u64), Trouble> {
        let id = self.target(address)?;
        let offset = ObjectId::of(address).1;
        self.allowed(id, write)?;
        let size = self.object(id).map_or(0, Object::size);
        if offset + bytes > size {
            return Err(Trouble::OutOfBounds(id));
        }
        Ok((id, offset))
    }

    /// Whether an object may be read, or written, at all.
    pub fn allowed(&self, id: ObjectId, write: bool) -> Result<(), Trouble> {
        match self.object(id).map(Object::kind) {
            None => self.target(id.address()).map(|_| ()),
            Some(Kind::Function) => Err(Trouble::NotData(id)),
            Some(Kind::Constant) if write => Err(Trouble::ReadOnly(id)),
            Some(Kind::Constant | Kind::Stack | Kind::Heap | Kind::Global | Kind::Argument) => {
                Ok(())
            }
        }
    }

    /// Whether an unknown address leaves room for so many bytes in an object: the truth value
    /// of being inside.
    pub fn inside(&self, terms: &mut Terms, id: ObjectId, address: Term, bytes: u64) -> Term {
        let size = self.object(id).map_or(0, Object::size);
        let Some(last) = size.checked_sub(bytes) else { return terms.bool(false) };
        let base = terms.bits(64, u128::from(id.address()));
        let end = terms.bits(64, u128::from(id.address() + last));
        let above = terms.bits_op(BitsOp::Ule, &[base, address]);
        let below = terms.bits_op(BitsOp::Ule, &[address, end]);
        terms.and(&[above, below])
    }

    /// Whether an unknown address points at an object, however far from its bytes: the truth
    /// value of having its number.
    pub fn points_at(&self, terms: &mut Terms, id: ObjectId, address: Term) -> Term {
        let number = terms.extract(63, 32, address);
        let wanted = terms.bits(32, u128::from(id.0));
        terms.equal(number, wanted)
    }

    /// The numbers of all living objects, in order.
    pub fn living(&self) -> impl Iterator<Item = (ObjectId, &Object)> {
        self.pages.iter().enumerate().flat_map(|(at, page)| {
            let slots = page.iter().flat_map(|page| page.slots.iter().enumerate());
            slots.filter_map(move |(slot, content)| match content {
                Slot::Alive(object) => Some((ObjectId((at * SLOTS + slot) as u32), &**object)),
                Slot::Unused | Slot::Freed | Slot::Returned => None,
            })
        })
    }

    /// The objects that pointers in an object lead to; `None` where some pointer is unknown.
    pub fn leads_to(&self, id: ObjectId) -> Option<Vec<ObjectId>> {
        let object = self.object(id)?;
        let words = (0..object.size().saturating_sub(7)).step_by(8);
        let mut list = Vec::new();
        for at in words.filter(|at| object.is_plain(*at..at + 8)) {
            let bytes = object.bytes()[at as usize..at as usize + 8].try_into().ok()?;
            list.extend(self.target(u64::from_le_bytes(bytes)).ok());
        }
        object.has_no_unknown_pointer().then_some(list)
    }

    /// The number that the next object gets: a height that locals can be ended down to.
    pub fn height(&self) -> u32 {
        self.next
    }

    /// What went wrong, with the name of the object where it is known.
    pub fn explain(&self, trouble: Trouble) -> String {
        let object = match trouble {
            Trouble::OutOfBounds(id) | Trouble::ReadOnly(id) | Trouble::NotData(id) => {
                self.object(id)
            }
            _ => None,
        };
        match object {
            Some(object) => match object.name() {
                Some(name) => format!("{trouble}: {} `{name}`", object.description()),
                None => format!("{trouble}: {}", object.description()),
            },
            None => trouble.to_string(),
        }
    }
}

/// Where an object's slot is.
const fn place(number: u32) -> (usize, usize) {
    (number as usize / SLOTS, number as usize % SLOTS)
}
