//! YAML in blocks: what JSON can say, a line a member.

use serde_json::Value;

/// A value as YAML.
pub(super) fn to_yaml(value: &Value) -> String {
    let mut out = String::new();
    write(&mut out, value, 0);
    out
}

fn write(out: &mut String, value: &Value, indent: usize) {
    let margin = " ".repeat(indent);
    match value {
        Value::Array(items) if !items.is_empty() => {
            for item in items {
                out.push_str(&margin);
                out.push_str("- ");
                let mut inner = String::new();
                write(&mut inner, item, indent + 2);
                // The first line of an item stands behind its dash.
                out.push_str(inner.trim_start());
            }
        }
        Value::Object(members) if !members.is_empty() => {
            let mut members: Vec<(&String, &Value)> = members.iter().collect();
            members.sort_by_key(|(name, _)| place(name));
            for (name, member) in members {
                out.push_str(&margin);
                out.push_str(&key(name));
                out.push(':');
                if is_block(member) {
                    out.push('\n');
                    write(out, member, indent + 2);
                } else {
                    out.push(' ');
                    write(out, member, 0);
                }
            }
        }
        plain => {
            out.push_str(&margin);
            // A string of JSON is a double-quoted string of YAML.
            out.push_str(&plain.to_string());
            out.push('\n');
        }
    }
}

/// Members in the order in which people expect them; others come last.
const ORDER: &[&str] = &[
    "entry_type",
    "metadata",
    "format_version",
    "uuid",
    "creation_time",
    "producer",
    "task",
    "name",
    "version",
    "input_files",
    "input_file_hashes",
    "specification",
    "data_model",
    "language",
    "content",
    "type",
    "action",
    "constraint",
    "location",
    "value",
    "format",
    "file_name",
    "line",
    "column",
    "function",
];

fn place(name: &str) -> usize {
    ORDER.iter().position(|known| *known == name).unwrap_or(ORDER.len())
}

fn is_block(value: &Value) -> bool {
    match value {
        Value::Array(items) => !items.is_empty(),
        Value::Object(members) => !members.is_empty(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

fn key(name: &str) -> String {
    let is_plain = name.chars().all(|c| c.is_ascii_alphabetic() || c == '_') && !name.is_empty();
    if is_plain { name.to_owned() } else { Value::from(name).to_string() }
}

#[cfg(test)]
pub(super) mod tests {
    use super::to_yaml;
    use serde_json::{Map, Value, json};

    /// Reads the YAML that is written here.
    pub fn from_yaml(text: &str) -> Value {
        let lines: Vec<(usize, &str)> = text
            .lines()
            .map(|line| (line.len() - line.trim_start().len(), line.trim_start()))
            .collect();
        let mut lines = lines.into_iter().collect::<std::collections::VecDeque<_>>();
        let value = block(&mut lines);
        assert!(lines.is_empty(), "{lines:?}");
        value
    }

    type Lines<'t> = std::collections::VecDeque<(usize, &'t str)>;

    fn block(lines: &mut Lines) -> Value {
        let (indent, first) = lines[0];
        if first.starts_with("- ") {
            let mut items = Vec::new();
            while lines.front().is_some_and(|(at, line)| *at == indent && line.starts_with("- ")) {
                lines[0] = (indent + 2, &lines[0].1[2..]);
                items.push(block(lines));
            }
            return items.into();
        }
        let mut members = Map::new();
        while let Some((_, line)) = lines.front().copied().filter(|(at, _)| *at == indent) {
            let split = match line.strip_prefix('"') {
                Some(rest) => rest.find("\":").map(|at| at + 2),
                None => line.find(':'),
            };
            let Some(split) = split.filter(|_| !line.starts_with(['[', '{'])) else { break };
            lines.pop_front();
            let rest = line[split + 1..].trim();
            let value = match rest {
                "" => block(lines),
                plain => serde_json::from_str(plain).expect("a plain value"),
            };
            members.insert(line[..split].trim_matches('"').to_owned(), value);
        }
        members.into()
    }

    #[test]
    fn what_is_written_is_read() {
        let value = json!([
            {"entry_type": "a: b", "numbers": {"one": 1, "a.c": "\"x\"\n"}, "empty": []},
            {"content": [{"segment": [{"waypoint": {"line": 3}}, {"waypoint": {"line": 4}}]}]},
        ]);
        assert_eq!(from_yaml(&to_yaml(&value)), value, "{}", to_yaml(&value));
    }
}
