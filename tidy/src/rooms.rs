//! The tables of ARCHITECTURE.md: the rooms, and the dependencies kept to some of them.

use std::collections::BTreeMap;

/// What ARCHITECTURE.md lays down.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// The rooms, in the table's order.
    pub rooms: Vec<Room>,
    /// For a dependency from outside, the only rooms that may have it.
    pub confined: BTreeMap<String, Vec<String>>,
}

/// A row of the table of rooms.
#[derive(Debug, PartialEq, Eq)]
pub struct Room {
    /// The folder's name.
    pub name: String,
    /// The rooms it may use.
    pub may_use: Vec<String>,
    /// Where `unsafe` may stand.
    pub unsafe_code: Unsafe,
}

/// Where a room may have `unsafe`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unsafe {
    /// Nowhere.
    No,
    /// In its tests.
    Tests,
    /// Anywhere, with reasons.
    Yes,
}

/// Reads both tables.
pub fn parse(page: &str) -> Result<Plan, String> {
    let mut plan = Plan::default();
    for cells in table(page, "crate")? {
        let [name, _, may_use, unsafe_code] = cells.as_slice() else {
            return Err(format!("ARCHITECTURE.md: this row of rooms has not 4 cells: {cells:?}"));
        };
        plan.rooms.push(Room {
            name: name.clone(),
            may_use: list(may_use),
            unsafe_code: match unsafe_code.as_str() {
                "no" => Unsafe::No,
                "tests" => Unsafe::Tests,
                "yes" => Unsafe::Yes,
                other => {
                    return Err(format!(
                        "ARCHITECTURE.md: `unsafe` of {name} is \"{other}\", not no, tests or yes"
                    ));
                }
            },
        });
    }
    for cells in table(page, "dependency")? {
        let [dependency, rooms] = cells.as_slice() else {
            return Err(format!("ARCHITECTURE.md: this row has not 2 cells: {cells:?}"));
        };
        plan.confined.insert(dependency.clone(), list(rooms));
    }
    Ok(plan)
}

/// The rows of the table whose first heading is `first`.
fn table(page: &str, first: &str) -> Result<Vec<Vec<String>>, String> {
    let mut lines = page.lines().map(cells);
    if !lines.any(|cells| cells.first().is_some_and(|cell| cell == first)) {
        return Err(format!("ARCHITECTURE.md has no table whose first column is `{first}`"));
    }
    Ok(lines.skip(1).take_while(|cells| !cells.is_empty()).collect())
}

/// The cells of a table's row; none if the line is no row.
fn cells(line: &str) -> Vec<String> {
    match line.trim().strip_prefix('|').and_then(|line| line.strip_suffix('|')) {
        Some(row) => row.split('|').map(|cell| cell.trim().replace('`', "")).collect(),
        None => Vec::new(),
    }
}

fn list(cell: &str) -> Vec<String> {
    cell.split(',').map(|word| word.trim().to_string()).filter(|word| !word.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::{Plan, Room, Unsafe, parse};

    const PAGE: &str = "\
# Title
| crate | what | may use | `unsafe` |
|---|---|---|---|
| `ieee` | numbers | | tests |
| `cli` | words | ieee, report | no |

| dependency | only in |
|---|---|
| `clap` | cli |
";

    #[test]
    fn both_tables_are_read() {
        let room = |name: &str, may_use: &[&str], unsafe_code| Room {
            name: name.to_string(),
            may_use: may_use.iter().map(|room| room.to_string()).collect(),
            unsafe_code,
        };
        let expected = Plan {
            rooms: vec![
                room("ieee", &[], Unsafe::Tests),
                room("cli", &["ieee", "report"], Unsafe::No),
            ],
            confined: [("clap".to_string(), vec!["cli".to_string()])].into(),
        };
        assert_eq!(parse(PAGE), Ok(expected));
    }

    #[test]
    fn a_page_without_its_tables_is_an_error() {
        for (from, to, reason) in [
            ("crate |", "room |", "no table whose first column is `crate`"),
            ("dependency |", "thing |", "no table whose first column is `dependency`"),
            ("tests |", "perhaps |", "not no, tests or yes"),
            ("numbers |", "", "has not 4 cells"),
        ] {
            let error = parse(&PAGE.replacen(from, to, 1)).expect_err("it is broken");
            assert!(error.contains(reason), "{error}");
        }
    }
}
