//! Memory from the heap: `malloc` and its like. It does not run out, but for sizes that no
//! machine has.

use super::{Call, Detour, Row, World};
use crate::Value;
use nanoscope_program::ir::Type;

/// What is modelled here.
pub(super) const ROWS: &[Row] = &[
    Row::new("malloc", malloc, "never null below 2 GiB, null above"),
    Row::new("calloc", calloc, ""),
    Row::new("realloc", realloc, "always moves"),
    Row::new("reallocarray", reallocarray, ""),
    Row::new("free", free, ""),
    Row::new("cfree", free, ""),
    Row::new("aligned_alloc", aligned, ""),
    Row::new("memalign", aligned, ""),
    Row::new("valloc", valloc, ""),
    Row::new("posix_memalign", posix_memalign, ""),
    Row::new("malloc_usable_size", usable_size, "the size asked for"),
    Row::new("_Znwm", operator_new, "C++'s `new`; ends the path instead of throwing"),
    Row::new("_Znam", operator_new, "C++'s `new[]`"),
    Row::new("_ZnwmRKSt9nothrow_t", malloc, "C++'s `new (std::nothrow)`"),
    Row::new("_ZnamRKSt9nothrow_t", malloc, "C++'s `new (std::nothrow) []`"),
    Row::new("_ZdlPv", free, "C++'s `delete`"),
    Row::new("_ZdlPvm", free, "C++'s `delete`, sized"),
    Row::new("_ZdaPv", free, "C++'s `delete[]`"),
    Row::new("_ZdaPvm", free, "C++'s `delete[]`, sized"),
    Row::new("memcpy", copy, ""),
    Row::new("memmove", copy_overlapping, ""),
    Row::new("memset", fill, ""),
    Row::new("__memcpy_chk", copy, "the size of the object is checked in any case"),
    Row::new("__memmove_chk", copy_overlapping, ""),
    Row::new("__memset_chk", fill, ""),
];

/// Larger objects are refused; a machine of today would refuse much larger ones only.
const LARGEST: u64 = 1 << 31;

/// The alignment of what `malloc` gives on x86-64.
const ALIGNMENT: u64 = 16;

fn new_object(
    world: &mut dyn World,
    size: u64,
    alignment: u64,
    zeroed: bool,
) -> Result<Value, Detour> {
    if size > LARGEST {
        if size <= i64::MAX as u64 {
            world.assumed("an allocation of more than 2 GiB fails");
        }
        return Ok(Value::Small(0));
    }
    world.allocate(size, alignment, zeroed)
}

fn malloc(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    let size = world.number(&call.arguments[0])?;
    new_object(world, size, ALIGNMENT, false)
}

fn operator_new(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    let size = world.number(&call.arguments[0])?;
    if size > LARGEST {
        return Err(Detour::End(crate::Ending::Stopped("`new` throws std::bad_alloc".to_owned())));
    }
    world.allocate(size, ALIGNMENT, false)
}

fn calloc(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    let count = world.number(&call.arguments[0])?;
    let size = world.number(&call.arguments[1])?;
    new_object(world, count.saturating_mul(size), ALIGNMENT, true)
}

fn realloc(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    let size = world.number(&call.arguments[1])?;
    resize(world, &call.arguments[0], size)
}

fn reallocarray(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    let count = world.number(&call.arguments[1])?;
    let size = world.number(&call.arguments[2])?;
    resize(world, &call.arguments[0], count.saturating_mul(size))
}

/// glibc frees when the new size is zero.
fn resize(world: &mut dyn World, old: &Value, size: u64) -> Result<Value, Detour> {
    let address = world.number(old)?;
    let old = Value::Small(address);
    if address == 0 {
        return new_object(world, size, ALIGNMENT, false);
    }
    if size == 0 {
        world.release(&old)?;
        return Ok(Value::Small(0));
    }
    let extent = world.extent(&old)?;
    if extent.base != address {
        // Not the start of an object: freeing it says what is wrong.
        world.release(&old)?;
    }
    let new = new_object(world, size, ALIGNMENT, false)?;
    if new != Value::Small(0) {
        world.copy(&new, &old, &Value::Small(extent.size.min(size)), false)?;
        world.release(&old)?;
    }
    Ok(new)
}

fn free(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    let address = world.number(&call.arguments[0])?;
    if address != 0 {
        world.release(&Value::Small(address))?;
    }
    Ok(Value::Undefined)
}

fn aligned(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    let alignment = world.number(&call.arguments[0])?;
    let size = world.number(&call.arguments[1])?;
    new_object(world, size, alignment.max(ALIGNMENT), false)
}

fn valloc(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    let size = world.number(&call.arguments[0])?;
    new_object(world, size, 4096, false)
}

fn posix_memalign(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    const EINVAL: u64 = 22;
    const ENOMEM: u64 = 12;
    let alignment = world.number(&call.arguments[1])?;
    let size = world.number(&call.arguments[2])?;
    if !alignment.is_power_of_two() || alignment < 8 {
        return Ok(Value::Small(EINVAL));
    }
    // Whether the place can be written is known before there is anything to lose.
    world.load(&call.arguments[0], &Type::Pointer)?;
    let new = new_object(world, size, alignment.max(ALIGNMENT), false)?;
    if new == Value::Small(0) {
        return Ok(Value::Small(ENOMEM));
    }
    world.store(&call.arguments[0], &Type::Pointer, new)?;
    Ok(Value::Small(0))
}

fn usable_size(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    if world.number(&call.arguments[0])? == 0 {
        return Ok(Value::Small(0));
    }
    world.assumed("malloc_usable_size gives the size asked for");
    Ok(Value::Small(world.extent(&call.arguments[0])?.size))
}

fn copy(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    world.copy(&call.arguments[0], &call.arguments[1], &call.arguments[2], false)?;
    Ok(call.arguments[0].clone())
}

fn copy_overlapping(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    world.copy(&call.arguments[0], &call.arguments[1], &call.arguments[2], true)?;
    Ok(call.arguments[0].clone())
}

fn fill(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    let byte = super::convert::resize(world, &call.arguments[1], 32, 8, false)?;
    world.fill(&call.arguments[0], &byte, &call.arguments[2])?;
    Ok(call.arguments[0].clone())
}
