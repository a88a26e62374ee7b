//! Routes: the path that somebody asks about, as branch outcomes or as lines.
//!
//! A route restricts only what it names. A branch on a line that the route has no outcome for may
//! go either way, and so may lines that it does not list; what it names must come in its order, and
//! no more often than it says. With an outcome that has no line every branch is named. The route
//! ends with its last entry: what comes then is free.

use nanoscope_program::Location;
use std::collections::BTreeSet;
use std::fmt;

/// The way that a branch goes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Way {
    /// The condition holds.
    True,
    /// It does not.
    False,
    /// A `switch` goes to this case.
    Case(i128),
    /// A `switch` goes to its default.
    Default,
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Way::True => f.write_str("true"),
            Way::False => f.write_str("false"),
            Way::Case(value) => write!(f, "case={value}"),
            Way::Default => f.write_str("default"),
        }
    }
}

/// A line of a file.
pub type Line = (String, u32);

/// One entry of a route.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// Control comes to a line.
    Line(Line),
    /// A branch goes this way: one on that line, if one is named.
    Branch(Option<Line>, Way),
}

/// The path that is asked about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Route {
    entries: Vec<Entry>,
    lines: BTreeSet<Line>,
    branches: BTreeSet<Line>,
    every_branch: bool,
}

/// What a path came by instead of a route's next entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Stray {
    /// The right branch, but another way.
    Way,
    /// Another place: what came.
    Place(String),
}

impl Route {
    /// The route with these entries.
    pub fn new(entries: Vec<Entry>) -> Route {
        let mut route = Route::default();
        for entry in &entries {
            match entry {
                Entry::Line(line) => drop(route.lines.insert(line.clone())),
                Entry::Branch(Some(line), _) => drop(route.branches.insert(line.clone())),
                Entry::Branch(None, _) => route.every_branch = true,
            }
        }
        Route { entries, ..route }
    }

    /// How many entries it has.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether it has none: every path is on it.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The way that a branch shall go, where that is the next entry.
    pub(crate) fn wanted(&self, position: usize) -> Option<&Way> {
        match self.entries.get(position)? {
            Entry::Branch(_, way) => Some(way),
            Entry::Line(_) => None,
        }
    }

    /// Whether lines matter.
    pub(crate) fn has_lines(&self) -> bool {
        !self.lines.is_empty()
    }

    /// How far along it a path is that has come so far and now to a line.
    pub(crate) fn at_line(&self, position: usize, at: &Location) -> Result<usize, Stray> {
        let line = (at.file.clone(), at.line);
        match self.entries.get(position) {
            None => Ok(position),
            Some(_) if !self.lines.contains(&line) => Ok(position),
            Some(Entry::Line(expected)) if *expected == line => Ok(position + 1),
            Some(Entry::Line(_) | Entry::Branch(..)) => {
                Err(Stray::Place(format!("control came to line {}", at.line)))
            }
        }
    }

    /// How far along it a path is that has come so far and now goes some way at a branch.
    pub(crate) fn at_branch(
        &self,
        position: usize,
        at: &Location,
        way: &Way,
    ) -> Result<usize, Stray> {
        let line = (at.file.clone(), at.line);
        match self.entries.get(position) {
            None => Ok(position),
            Some(_) if !self.every_branch && !self.branches.contains(&line) => Ok(position),
            Some(Entry::Branch(expected, wanted))
                if expected.as_ref().is_none_or(|it| *it == line) =>
            {
                if wanted == way {
                    Ok(position + 1)
                } else {
                    Err(Stray::Way)
                }
            }
            Some(Entry::Line(_) | Entry::Branch(..)) => {
                Err(Stray::Place(format!("control came to a branch on line {}", at.line)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(line: u32) -> Location {
        Location { file: "p.c".into(), line, ..Location::default() }
    }

    #[test]
    fn a_route_restricts_what_it_names() {
        let line = |line| ("p.c".to_owned(), line);
        let route = Route::new(vec![
            Entry::Branch(Some(line(7)), Way::True),
            Entry::Branch(Some(line(7)), Way::False),
            Entry::Line(line(9)),
        ]);
        assert_eq!(route.at_branch(0, &at(5), &Way::False), Ok(0));
        assert_eq!(route.at_branch(0, &at(7), &Way::True), Ok(1));
        assert_eq!(route.at_branch(0, &at(7), &Way::False), Err(Stray::Way));
        assert_eq!(route.at_line(1, &at(8)), Ok(1));
        assert!(matches!(route.at_line(1, &at(9)), Err(Stray::Place(_))));
        assert!(matches!(route.at_branch(2, &at(7), &Way::True), Err(Stray::Place(_))));
        assert_eq!(route.at_line(2, &at(9)), Ok(3));
        assert_eq!(route.at_branch(3, &at(7), &Way::True), Ok(3));
        let every = Route::new(vec![Entry::Branch(None, Way::True)]);
        assert_eq!(every.at_branch(0, &at(5), &Way::True), Ok(1));
        assert_eq!(every.at_branch(0, &at(5), &Way::False), Err(Stray::Way));
    }
}
