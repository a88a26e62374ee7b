//! Which engines work on goals, and with which solver an exploration asks.

use nanoscope_solver::Choice;

/// An engine that settles goals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Engine {
    /// Abstract interpretation rules out what no input can do.
    Ranges,
    /// Native search.
    Search,
    /// Exploration, with a solver over floats.
    Explore,
    /// Exploration with Ariadne's method: path conditions over the reals, floats around their
    /// solutions. With [`Engine::Explore`], it has what the solver over floats leaves.
    Reals,
}

/// The engines that work where nobody says which.
pub const USUAL: [Engine; 3] = [Engine::Ranges, Engine::Search, Engine::Explore];

/// The solver's engines for the explorations of these; none where nothing is explored. The
/// usual ones are an empty list.
pub(super) fn solver(engines: &[Engine]) -> Option<Vec<Choice>> {
    let ariadne = || Choice::Ariadne(Some("z3".to_owned()));
    match (engines.contains(&Engine::Explore), engines.contains(&Engine::Reals)) {
        (false, false) => None,
        (true, false) => Some(Vec::new()),
        (false, true) => Some(vec![ariadne()]),
        (true, true) => {
            let mut all = Choice::USUAL.to_vec();
            all.push(ariadne());
            Some(all)
        }
    }
}

/// What the exploration is called in reports.
pub(super) fn explorer(engines: &[Engine]) -> &'static str {
    if engines.contains(&Engine::Explore) { "exploration" } else { "reals" }
}
