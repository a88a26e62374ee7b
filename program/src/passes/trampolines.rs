//! Internal procedures that are handed over as arguments (`llvm.init.trampoline`), without code
//! that is written at run-time.
//!
//! A trampoline is a function made on the stack that calls an internal procedure with the frame of
//! the procedure around it. In its place stands a function of the module that takes the frame from
//! a variable. One variable for each internal procedure is enough where the procedure around it
//! cannot be entered a second time before it returns: elsewhere trampolines stay.

use crate::code::reach;
use crate::llvm::{Builder, Linkage, Module, Type, Value};
use std::collections::BTreeMap;

/// Writes out the trampolines of a module.
pub(crate) fn write_out(module: &Module) {
    let Some(made) = module.function("llvm.init.trampoline") else { return };
    let defined: Vec<Value> =
        module.functions().into_iter().filter(|f| !f.is_declaration()).collect();
    let recursive = reach::recursive(&defined);
    let mut by_place: BTreeMap<Value, Vec<Value>> = BTreeMap::new();
    for call in made.users() {
        by_place.entry(call.operand(0)).or_default().push(call);
    }
    let mut stand_ins: BTreeMap<Value, Option<StandIn>> = BTreeMap::new();
    for (place, calls) in by_place {
        let procedure = calls[0].operand(1);
        let is_plain = |call: &Value| {
            call.operand(1) == procedure && !recursive.contains(&call.block().function())
        };
        let addresses: Vec<Value> = place.users().into_iter().filter(is_adjustment).collect();
        let others = place.users().len() - addresses.len() - calls.len();
        if !procedure.is_function()
            || procedure.is_declaration()
            || !calls.iter().all(is_plain)
            || others > lifetimes(place)
        {
            continue;
        }
        let stand_in =
            stand_ins.entry(procedure).or_insert_with(|| StandIn::make(module, procedure));
        let Some(stand_in) = stand_in else { continue };
        let builder = Builder::new(module);
        for call in calls {
            builder.before(call);
            builder.place_as(call);
            builder.store(call.operand(2), stand_in.frame);
            call.erase();
        }
        for address in addresses {
            address.replace_with(stand_in.function);
            address.erase();
        }
    }
}

fn is_adjustment(user: &Value) -> bool {
    user.callee().is_some_and(|callee| callee.name().starts_with("llvm.adjust.trampoline"))
}

/// How many users only say where a variable begins and ends to live.
fn lifetimes(place: Value) -> usize {
    let is_marker = |user: &Value| {
        user.callee().is_some_and(|callee| callee.name().starts_with("llvm.lifetime."))
    };
    place.users().iter().filter(|user| is_marker(user)).count()
}

/// What is called in the place of a trampoline.
struct StandIn {
    function: Value,
    /// The variable with the frame.
    frame: Value,
}

impl StandIn {
    /// A function with the parameters of an internal procedure but for the frame; none where no
    /// parameter is the frame.
    fn make(module: &Module, procedure: Value) -> Option<StandIn> {
        let parameters = procedure.parameters();
        let nest = (0..parameters.len())
            .find(|at| procedure.parameter_number_attribute(*at as u32, "nest").is_some())?;
        let name = procedure.name();
        let pointer = module.pointer();
        let frame =
            module.add_global(&format!("nanoscope.frame.{name}"), pointer, Some(pointer.zero()));
        frame.set_linkage(Linkage::LLVMInternalLinkage);
        let kept = parameters.iter().enumerate().filter(|(at, _)| *at != nest);
        let types: Vec<Type> = kept.map(|(_, parameter)| parameter.ty()).collect();
        let ty = module.function_type(procedure.result_type(), &types);
        let function = module.add_function(&format!("nanoscope.trampoline.{name}"), ty);
        function.set_linkage(Linkage::LLVMInternalLinkage);
        for key in ["target-cpu", "target-features", "tune-cpu", "frame-pointer"] {
            procedure.copy_string_attribute(key, function);
        }
        let builder = Builder::new(module);
        builder.at_end(module.add_block(function, "entry"));
        let mut arguments = function.parameters();
        arguments.insert(nest, builder.load(pointer, frame));
        let call = builder.call(procedure, &arguments);
        call.set_argument_attribute(nest as u32, "nest");
        match procedure.result_type() == module.void() {
            true => builder.return_nothing(),
            false => builder.return_value(call),
        }
        Some(StandIn { function, frame })
    }
}
