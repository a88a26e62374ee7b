//! Compiles the agent, which the library carries inside itself and writes beside the subject when
//! it runs: so there is nothing to install.

use std::env;
use std::path::PathBuf;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=agent");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR")).join("agent.so");
    let compiler = env::var_os("CC").unwrap_or_else(|| "cc".into());
    let mut command = Command::new(&compiler);
    command.args([
        "-O2",
        "-shared",
        "-fPIC",
        "-ffreestanding",
        "-nostdlib",
        "-fno-stack-protector",
        // The subject's floating-point registers are not the agent's.
        "-mgeneral-regs-only",
        "-fcf-protection=none",
        "-fvisibility=hidden",
        "-Wall",
        "-Wextra",
        "-Werror",
        "agent/agent.c",
        "-o",
    ]);
    match command.arg(&out).status() {
        Ok(status) if status.success() => {}
        Ok(status) => panic!("compiling agent/agent.c: {status}"),
        Err(error) => panic!("cannot run the C compiler {compiler:?}: {error}"),
    }
}
