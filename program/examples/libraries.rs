//! Makes the two libraries of a source and tells where they are.
use nanoscope_program::compile::{Compiler, Flags};
use nanoscope_program::{Program, Wishes};

fn main() {
    let source: std::path::PathBuf = std::env::args().nth(1).expect("a source").into();
    let start = std::time::Instant::now();
    let compiler = Compiler::new(Flags::parse(std::env::args().skip(2))).unwrap();
    let bitcode = compiler.bitcode(&[source], None).unwrap_or_else(|e| panic!("{e}"));
    eprintln!("bitcode {:?}", start.elapsed());
    let program = Program::load(bitcode).unwrap();
    eprintln!("load {:?}", start.elapsed());
    for site in program.sites().iter() {
        println!("{:?} {} {} {}", site.id, site.function, site.location, site.action.name());
    }
    let names: Vec<String> = program.callable().into_iter().map(|c| c.symbol).collect();
    let wishes = Wishes::default();
    for target in program.targets(&names, &wishes).unwrap() {
        println!("{target:#?}");
    }
    eprintln!("targets {:?}", start.elapsed());
    let scratch = std::env::temp_dir();
    let libraries = program
        .libraries(&names, &wishes, &compiler, &scratch, None)
        .unwrap_or_else(|e| panic!("{e}"));
    eprintln!("libraries {:?}", start.elapsed());
    for target in program.targets(&names, &wishes).unwrap().into_iter().flatten() {
        println!(
            "{} {}",
            libraries.instrumented(&target).library.display(),
            libraries.original(&target).library.display()
        );
    }
}
