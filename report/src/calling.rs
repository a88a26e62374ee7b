//! A call of a function in C: what is declared, allocated and passed.

use crate::{Finding, Number};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How C calls a function: its declaration, and the memory that its parameters need.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Call {
    /// The source that defines it.
    pub file: String,
    /// Whether only that file can call it.
    #[serde(rename = "static")]
    pub is_static: bool,
    /// The type of its result.
    pub returns: String,
    /// Its parameters.
    pub parameters: Vec<Declared>,
    /// What pointers point to, outer ones first.
    pub memory: Vec<Memory>,
}

/// A parameter as it is declared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Declared {
    /// Its name.
    pub name: String,
    /// Its type.
    #[serde(rename = "type")]
    pub type_name: String,
}

/// What a pointer points to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Memory {
    /// The pointer, as C writes it: `p`, `p->data`.
    pub name: String,
    /// How many bytes.
    pub bytes: u64,
}

/// A call as a test writes it.
pub(crate) struct Written {
    /// The source whose text is needed, for types or for a function of its own.
    pub included: Option<String>,
    /// The function's declaration, where no source is included.
    pub declaration: Option<String>,
    /// What comes before the call, a statement a line.
    pub statements: Vec<String>,
    /// The call.
    pub call: String,
    /// The result's type, where that is a scalar of a known name.
    pub result: Option<String>,
}

/// Writes a finding's call; the error says why it cannot be.
pub(crate) fn write(finding: &Finding, sources: &[String]) -> Result<Written, &'static str> {
    match finding.call() {
        Some(call) => declared(finding, &call, sources),
        None => undeclared(finding),
    }
}

/// By the function's own declaration.
fn declared(finding: &Finding, call: &Call, sources: &[String]) -> Result<Written, &'static str> {
    if finding.details.ended.is_some() {
        return Err("the function did not return");
    }
    let types = call.parameters.iter().map(|p| p.type_name.as_str()).chain([call.returns.as_str()]);
    let is_standard = types.clone().all(|ty| is_known(bare(ty)) || bare(ty) == "void");
    let included = if is_standard && !call.is_static {
        None
    } else {
        let is_it =
            |source: &&String| call.file == **source || call.file.ends_with(&format!("/{source}"));
        Some(sources.iter().find(is_it).cloned().ok_or("its source is not among the files")?)
    };
    let mut statements = Vec::new();
    for Declared { name, type_name } in &call.parameters {
        match type_name.strip_suffix('*') {
            Some(base) => {
                // What the function may not change, the test must set.
                let base = base.trim().trim_end_matches(" const");
                let memory = call.memory.iter().find(|memory| memory.name == *name);
                let made = match memory {
                    Some(memory) => format!("({base} *)calloc(1, {})", memory.bytes),
                    None => "NULL".to_owned(),
                };
                statements.push(format!("{base} *{name} = {made};"));
            }
            None => {
                let plain = type_name.trim_end_matches(" const");
                let scalar = finding.inputs.iter().find(|input| input.name == *name);
                statements.push(match scalar {
                    Some(input) => format!("{plain} {name} = {};", literal(input)?),
                    None => format!("{plain} {name};\nmemset(&{name}, 0, sizeof {name});"),
                });
            }
        }
    }
    let is_parameter = |name: &str| call.parameters.iter().any(|p| p.name == name);
    for Memory { name, bytes } in call.memory.iter().filter(|it| !is_parameter(&it.name)) {
        statements.push(format!("{name} = calloc(1, {bytes});"));
    }
    for input in finding.inputs.iter().filter(|input| !is_parameter(&input.name)) {
        if !is_place(&input.name) || input.type_name.contains("omplex") {
            return Err("an input has no name in C");
        }
        statements.push(format!("{} = {};", input.name, literal(input)?));
    }
    let names: Vec<&str> = call.parameters.iter().map(|p| p.name.as_str()).collect();
    let function = c_name(&finding.function);
    let list: Vec<String> =
        call.parameters.iter().map(|p| format!("{} {}", p.type_name, p.name)).collect();
    let list = if list.is_empty() { "void".to_owned() } else { list.join(", ") };
    Ok(Written {
        declaration: included.is_none().then(|| format!("{} {function}({list});", call.returns)),
        included,
        statements: statements.iter().flat_map(|s| s.split('\n')).map(str::to_owned).collect(),
        call: format!("{function}({})", names.join(", ")),
        result: is_known(bare(&call.returns))
            .then(|| bare(&call.returns).to_owned())
            .filter(|_| !call.returns.ends_with('*')),
    })
}

/// A function's name in C: its file may stand before it.
pub(crate) fn c_name(function: &str) -> &str {
    function.rsplit(':').next().unwrap_or(function)
}

/// A type without its pointers and qualifiers.
fn bare(type_name: &str) -> &str {
    let mut bare = type_name;
    loop {
        let less = bare.trim_end_matches(['*', ' ']);
        let less = less.strip_suffix(" const").or(less.strip_suffix(" volatile")).unwrap_or(less);
        if less == bare {
            return bare;
        }
        bare = less;
    }
}

/// Whether something is written in C as a place in memory: `p->a[3].x`, `*p`.
fn is_place(name: &str) -> bool {
    let rest = name.strip_prefix('*').unwrap_or(name).replace("->", ".");
    let is_word = |word: &str| {
        let (word, indices) = word.split_at(word.find('[').unwrap_or(word.len()));
        let starts = word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        let inside = indices.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        starts
            && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            && (indices.is_empty()
                || inside.is_some_and(|list| list.split("][").all(|i| i.parse::<usize>().is_ok())))
    };
    rest.split('.').all(is_word)
}

/// By what the inputs are called, where no declaration is known.
fn undeclared(finding: &Finding) -> Result<Written, &'static str> {
    let parameters = parameters(&finding.inputs)?;
    let result = result_type(finding)?;
    let declared: Vec<String> = parameters.iter().map(Parameter::declaration).collect();
    let declared = if declared.is_empty() { "void".to_string() } else { declared.join(", ") };
    let passed: Vec<&str> = parameters.iter().map(|parameter| parameter.name.as_str()).collect();
    Ok(Written {
        included: None,
        declaration: Some(format!("{result} {}({declared});", c_name(&finding.function))),
        statements: parameters.iter().map(Parameter::definition).collect(),
        call: format!("{}({})", c_name(&finding.function), passed.join(", ")),
        result: (result != "void").then_some(result),
    })
}

/// A parameter and what is passed for it.
#[derive(Debug)]
pub(crate) struct Parameter {
    pub(crate) name: String,
    type_name: String,
    values: Vec<String>,
    shape: Shape,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    Scalar,
    Array,
}

impl Parameter {
    pub(crate) fn declaration(&self) -> String {
        match self.shape {
            Shape::Scalar => format!("{} {}", self.type_name, self.name),
            Shape::Array => format!("{} *{}", self.type_name, self.name),
        }
    }

    pub(crate) fn definition(&self) -> String {
        let (name, type_name, values) = (&self.name, &self.type_name, self.values.join(", "));
        match self.shape {
            Shape::Scalar => format!("{type_name} {name} = {values};"),
            Shape::Array => format!("{type_name} {name}[] = {{ {values} }};"),
        }
    }
}

/// Puts leaves together to parameters: `x`; `*x`; `x[0]`, `x[1]`, …
pub(crate) fn parameters(inputs: &[Number]) -> Result<Vec<Parameter>, &'static str> {
    let mut list: Vec<Parameter> = Vec::new();
    for input in inputs {
        let (name, index) = match (input.name.split_once('['), input.name.strip_prefix('*')) {
            (Some((name, rest)), _) => {
                (name, rest.strip_suffix(']').and_then(|index| index.parse::<usize>().ok()))
            }
            (None, Some(name)) => (name, Some(0)),
            (None, None) => (input.name.as_str(), None),
        };
        let is_name = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            && !name.starts_with(|c: char| c.is_ascii_digit());
        let element = input.name.contains(['[', '*']);
        if name.is_empty() || !is_name || element != index.is_some() {
            return Err("its input is a structure, whose type is not known here");
        }
        match (list.last_mut(), index) {
            (Some(array), Some(index)) if array.name == name && array.values.len() == index => {
                array.values.push(literal(input)?);
            }
            (_, None | Some(0)) => list.push(Parameter {
                name: name.to_string(),
                type_name: type_name(input)?,
                values: vec![literal(input)?],
                shape: if index.is_some() { Shape::Array } else { Shape::Scalar },
            }),
            (_, Some(_)) => return Err("its input is an array with holes"),
        }
    }
    Ok(list)
}

/// Types that need no header of the program's.
const KNOWN: &[&str] = &[
    "float",
    "double",
    "long double",
    "char",
    "signed char",
    "unsigned char",
    "short",
    "unsigned short",
    "int",
    "unsigned int",
    "unsigned",
    "long",
    "unsigned long",
    "long long",
    "unsigned long long",
    "size_t",
    "int8_t",
    "int16_t",
    "int32_t",
    "int64_t",
    "uint8_t",
    "uint16_t",
    "uint32_t",
    "uint64_t",
];

fn is_known(type_name: &str) -> bool {
    KNOWN.contains(&type_name)
}

/// The type, in names that need no header of the program's.
fn type_name(number: &Number) -> Result<String, &'static str> {
    let plain = number.type_name.trim_start_matches("const ");
    if is_known(plain) {
        return Ok(plain.to_string());
    }
    // Behind a typedef: what has the same width is passed in the same way.
    match (&number.hex, number.bits.len() - 2) {
        (Some(_), 8) => Ok("float".to_string()),
        (Some(_), 16) => Ok("double".to_string()),
        (Some(_), 20) => Ok("long double".to_string()),
        (None, digits @ (2 | 4 | 8 | 16)) => Ok(format!("int{}_t", digits * 4)),
        (Some(_) | None, _) => Err("a type of its input has no name in standard C"),
    }
}

/// The value as C writes it, exactly.
fn literal(number: &Number) -> Result<String, &'static str> {
    let Some(hex) = &number.hex else {
        return Ok(match number.value.parse::<i64>() {
            // -9223372036854775808 is an operator and a number too large for its type.
            Ok(i64::MIN) => "INT64_MIN".to_string(),
            Ok(_) => number.value.clone(),
            Err(_) => format!("{}u", number.value),
        });
    };
    let sign = if number.value.starts_with('-') { "-" } else { "" };
    if number.is_nan() {
        return Ok(format!("{sign}NAN"));
    }
    if number.is_infinite() {
        return Ok(format!("{sign}INFINITY"));
    }
    Ok(match number.bits.len() - 2 {
        8 => format!("{hex}f"),
        20 => format!("{hex}L"),
        _ => hex.clone(),
    })
}

fn result_type(finding: &Finding) -> Result<String, &'static str> {
    let returned = |output: &&Number| output.name == "return" || output.name.starts_with("return.");
    match finding.details.outputs.iter().find(returned) {
        Some(output) if output.name == "return" => type_name(output),
        Some(_) => Err("its result is a structure, whose type is not known here"),
        None if finding.details.ended.is_some() => Err("the function did not return"),
        None => Ok("void".to_string()),
    }
}
