//! The functions that a C header declares, as clang reads it. Clang runs as a program; what it writes is
//! its syntax tree as JSON.

use super::{Declaration, Record, Type};
use serde_json::Value;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The compilers that are asked, the first that is there.
const COMPILERS: [&str; 2] = ["clang-19", "clang"];
/// Folders of all libraries' headers: what a header includes from there is not its own.
const COMMON: [&str; 3] = ["/usr/include", "/usr/local/include", "/usr/include/x86_64-linux-gnu"];

/// The functions of a header, and of those in the same folder that it includes. `flags` are the
/// compiler's: `-I`, `-D`.
pub fn declarations(header: &Path, flags: &[OsString]) -> Result<Vec<Declaration>, String> {
    let name = header.display();
    let full =
        std::fs::canonicalize(header).map_err(|error| format!("cannot read {name}: {error}"))?;
    let tree = syntax_tree(&full, flags)?;
    let mut reader =
        Reader { own: full, file: PathBuf::new(), types: BTreeMap::new(), found: Vec::new() };
    for node in children(&tree) {
        reader.declaration(node);
    }
    if reader.found.is_empty() {
        return Err(format!("{name} declares no function"));
    }
    Ok(reader.found)
}

fn syntax_tree(header: &Path, flags: &[OsString]) -> Result<Value, String> {
    for compiler in COMPILERS {
        let mut command = Command::new(compiler);
        command.args(["-fsyntax-only", "-Xclang", "-ast-dump=json", "-x", "c"]);
        command.args(flags).arg(header);
        let output = match command.output() {
            Ok(output) => output,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            Err(error) => return Err(format!("cannot run {compiler}: {error}")),
        };
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            return Err(format!("{compiler} cannot read the header:\n{}", said.trim()));
        }
        return serde_json::from_slice(&output.stdout)
            .map_err(|error| format!("{compiler} wrote no syntax tree: {error}"));
    }
    Err("a header is read by clang, which is not there: install clang-19, or write prototypes"
        .to_string())
}

struct Reader {
    own: PathBuf,
    /// The file of the last location: a location names its file only where it changes.
    file: PathBuf,
    /// Structures, enumerations and typedefs, by the names that types are written with.
    types: BTreeMap<String, Type>,
    found: Vec<Declaration>,
}

impl Reader {
    fn declaration(&mut self, node: &Value) {
        self.locate(node);
        let here = self.file.clone();
        let name = word(node, "name").to_string();
        match word(node, "kind") {
            "FunctionDecl" if self.is_own(&here) && word(node, "storageClass") != "static" => {
                if let Some(declaration) = self.function(node, &name)
                    && !self.found.iter().any(|other| other.name == name)
                {
                    self.found.push(declaration);
                }
            }
            "RecordDecl" if node.get("completeDefinition").is_some() => {
                let is_field = |child: &&Value| word(child, "kind") == "FieldDecl";
                let fields = children(node).filter(is_field);
                let fields =
                    fields.map(|field| (word(field, "name").to_string(), self.type_of(field)));
                let fields: Vec<(String, Type)> = fields.collect();
                let union = word(node, "tagUsed") == "union";
                // Bits of an integer, and what is not known: then nobody knows where the rest is.
                let unknown = children(node).any(|child| child.get("isBitfield").is_some())
                    || fields.iter().any(|(_, of)| of.size() == 0);
                let record = match unknown {
                    true => Type::Other,
                    false => Type::Structure(Record {
                        name: name.clone(),
                        ..Record::laid_out(fields, union)
                    }),
                };
                let named = format!("{} {name}", word(node, "tagUsed"));
                self.types.insert(if name.is_empty() { String::new() } else { named }, record);
            }
            "EnumDecl" => {
                self.types.insert(format!("enum {name}"), Type::Integer(32));
            }
            "TypedefDecl" => {
                let written =
                    node.pointer("/type/qualType").and_then(Value::as_str).unwrap_or_default();
                // An anonymous structure is known by its typedef's name alone.
                let anonymous =
                    written == format!("struct {name}") && !self.types.contains_key(written);
                let meant = match self.types.remove("").filter(|_| anonymous) {
                    Some(record) => record,
                    None if written.starts_with("enum ") => Type::Integer(32),
                    None => self.type_of(node),
                };
                self.types.insert(name, meant);
            }
            _ => {}
        }
        for child in children(node) {
            self.pass(child);
        }
    }

    /// Follows the locations below a declaration.
    fn pass(&mut self, node: &Value) {
        self.locate(node);
        children(node).for_each(|child| self.pass(child));
    }

    fn locate(&mut self, node: &Value) {
        let places = ["/loc", "/range/begin", "/range/end"];
        for place in places.iter().filter_map(|place| node.pointer(place)) {
            let parts = [Some(place), place.get("spellingLoc"), place.get("expansionLoc")];
            for file in parts.into_iter().flatten().filter_map(|part| part.get("file")) {
                self.file = PathBuf::from(file.as_str().unwrap_or_default());
            }
        }
    }

    fn is_own(&self, file: &Path) -> bool {
        let file = std::fs::canonicalize(file).unwrap_or_else(|_| file.to_path_buf());
        let folder = self.own.parent().unwrap_or(Path::new("/"));
        let shared = COMMON.iter().any(|common| Path::new(common) == folder);
        file == self.own || (!shared && file.starts_with(folder))
    }

    fn function(&self, node: &Value, name: &str) -> Option<Declaration> {
        let written = node.pointer("/type/qualType").and_then(Value::as_str)?;
        let result = self.parse(written.split(" (").next()?.trim());
        let parameters = children(node).filter(|child| word(child, "kind") == "ParmVarDecl");
        let parameters =
            parameters.map(|child| (word(child, "name").to_string(), self.type_of(child)));
        Some(Declaration {
            name: name.to_string(),
            symbol: name.to_string(),
            parameters: parameters.collect(),
            result,
            variadic: node.get("variadic").is_some(),
            by_reference: false,
            omits_characters: false,
        })
    }

    fn type_of(&self, node: &Value) -> Type {
        let text = |key: &str| node.pointer(key).and_then(Value::as_str);
        let written = text("/type/desugaredQualType").or(text("/type/qualType"));
        self.parse(written.unwrap_or_default())
    }

    /// A type as clang writes it: `const double *restrict`.
    fn parse(&self, text: &str) -> Type {
        let text = text.trim();
        for qualifier in ["restrict", "const", "volatile"] {
            if let Some(rest) = text.strip_suffix(qualifier)
                && rest.ends_with([' ', '*'])
            {
                return self.parse(rest);
            }
        }
        if text.contains("(*") {
            return Type::Pointer { to: Box::new(Type::Other), constant: true };
        }
        if let Some(inner) = text.strip_suffix('*') {
            let inner = inner.trim();
            let constant = inner.starts_with("const ") && !inner.ends_with('*');
            return Type::Pointer { to: Box::new(self.parse(inner)), constant };
        }
        if let Some(inner) = text.strip_prefix("const ").or(text.strip_prefix("volatile ")) {
            return self.parse(inner);
        }
        if let Some((element, extent)) =
            text.strip_suffix(']').and_then(|rest| rest.rsplit_once('['))
        {
            let Ok(count) = extent.parse::<usize>() else { return Type::Other };
            return Type::Array(Box::new(self.parse(element)), count);
        }
        match text {
            "void" => Type::Void,
            "float" => Type::Real(32),
            "double" => Type::Real(64),
            "long double" => Type::Real(80),
            "_Complex float" => Type::Complex(32),
            "_Complex double" => Type::Complex(64),
            "_Complex long double" => Type::Complex(80),
            "char" | "signed char" | "unsigned char" => Type::Integer(8),
            "_Bool" | "bool" => Type::Boolean(8),
            "short" | "unsigned short" => Type::Integer(16),
            "int" | "unsigned int" => Type::Integer(32),
            "long" | "unsigned long" | "long long" | "unsigned long long" => Type::Integer(64),
            name => self.types.get(name).cloned().unwrap_or(Type::Other),
        }
    }
}

fn children(node: &Value) -> impl Iterator<Item = &Value> {
    node.get("inner").and_then(Value::as_array).into_iter().flatten()
}

fn word<'a>(node: &'a Value, key: &str) -> &'a str {
    node.get(key).and_then(Value::as_str).unwrap_or_default()
}
