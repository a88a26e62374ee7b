//! flang's run-time, as far as it ends programs and prints. What it computes is part of the
//! program (`program/runtime/fortran.c`).

use super::{Call, Detour, Row, World};
use crate::{Ending, How, Value};

/// What is modelled here.
pub(super) const ROWS: &[Row] = &[
    Row::new("_FortranAStopStatement", stop, "`STOP` and `ERROR STOP`"),
    Row::new("_FortranAStopStatementText", stop_text, ""),
    Row::new("_FortranAReportFatalUserError", abort, ""),
    Row::new("_FortranAAbort", abort, ""),
    Row::new("_FortranAExit", stop, ""),
    Row::new("_FortranAProgramStart", nothing, ""),
    Row::new("_FortranAProgramEndStatement", nothing, ""),
    Row::new("_FortranAioBeginExternalListOutput", statement, "`PRINT *`: nothing is printed"),
    Row::new("_FortranAioBeginExternalFormattedOutput", statement, "nothing is printed"),
    Row::new(
        "_FortranAioBeginInternalListOutput",
        text,
        "`WRITE` to a character variable: any text",
    ),
    Row::new("_FortranAioBeginInternalFormattedOutput", text, "any text"),
    Row::new("_FortranAioBeginUnformattedOutput", statement, "nothing is written"),
    Row::new("_FortranAioEnableHandlers", nothing, ""),
    Row::new("_FortranAioSetAdvance", yes, ""),
    Row::new("_FortranAioOutputNamelist", yes, ""),
    Row::new("_FortranAioOutputReal32", yes, ""),
    Row::new("_FortranAioOutputReal64", yes, ""),
    Row::new("_FortranAioOutputComplex32", yes, ""),
    Row::new("_FortranAioOutputComplex64", yes, ""),
    Row::new("_FortranAioOutputInteger8", yes, ""),
    Row::new("_FortranAioOutputInteger16", yes, ""),
    Row::new("_FortranAioOutputInteger32", yes, ""),
    Row::new("_FortranAioOutputInteger64", yes, ""),
    Row::new("_FortranAioOutputLogical", yes, ""),
    Row::new("_FortranAioOutputAscii", yes, ""),
    Row::new("_FortranAioOutputDescriptor", yes, ""),
    Row::new("_FortranAioEndIoStatement", zero, ""),
];

fn stop(_: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    Err(Detour::Exit(call.arguments.first().cloned().unwrap_or(Value::Small(0))))
}

/// `STOP "text"` gives 0, `ERROR STOP "text"` 1.
fn stop_text(_: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    Err(Detour::Exit(Value::Small(call.arguments[2].as_small().unwrap_or(1))))
}

fn abort(_: &mut dyn World, _: &Call) -> Result<Value, Detour> {
    Err(Detour::End(Ending::Abort))
}

fn nothing(_: &mut dyn World, _: &Call) -> Result<Value, Detour> {
    Ok(Value::Undefined)
}

/// A statement under way: an object that stands for it.
fn statement(world: &mut dyn World, _: &Call) -> Result<Value, Detour> {
    world.allocate(16, 16, true)
}

/// A statement that writes to a variable: its address, its length.
fn text(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    let size = world.number(&call.arguments[1])?;
    let how = How::Unspecified("what is written to a character variable".to_owned());
    world.unknown_bytes(&call.arguments[0], size, how, call.name)?;
    statement(world, call)
}

fn yes(_: &mut dyn World, _: &Call) -> Result<Value, Detour> {
    Ok(Value::truth(true))
}

fn zero(_: &mut dyn World, _: &Call) -> Result<Value, Detour> {
    Ok(Value::Small(0))
}
