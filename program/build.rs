//! Compiles the few lines of C++ that read what LLVM's C interface does not show.

use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=src/llvm/debug.cpp");
    println!("cargo:rerun-if-changed=src/llvm/inspect.cpp");
    println!("cargo:rerun-if-env-changed=LLVM_SYS_191_PREFIX");
    let prefix = std::env::var("LLVM_SYS_191_PREFIX").unwrap_or("/usr/lib/llvm-19".into());
    let config = format!("{prefix}/bin/llvm-config");
    let include = Command::new(&config)
        .arg("--includedir")
        .output()
        .unwrap_or_else(|error| panic!("{config}: {error}; install llvm-19-dev (`make setup`)"));
    let include = String::from_utf8(include.stdout).expect("a path in UTF-8");
    cc::Build::new()
        .cpp(true)
        .std("c++17")
        .flag("-isystem")
        .flag(include.trim())
        .flag("-fno-exceptions")
        .flag("-fno-rtti")
        .warnings(false)
        .file("src/llvm/debug.cpp")
        .file("src/llvm/inspect.cpp")
        .compile("nanoscope_llvm");
}
