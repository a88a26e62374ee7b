//! From a project file to units: which sources make programs, which functions they have, what
//! is checked of each.

use crate::fault::Trouble;
use crate::project::{Campaign, Check, Elements, Handling, Link, List, Project};
use crate::unit::Unit;
use crate::work::PARENT;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Seconds for a unit where nothing is said.
const SECONDS: f64 = 60.0;

/// Seconds for a unit whose evaluations are counted: the count is to end it, not the clock.
const SECONDS_WHEN_COUNTED: f64 = 3600.0;

/// Where a campaign is and what it says.
#[derive(Clone, Debug)]
pub struct Setting {
    /// The command `nanoscope`.
    pub nanoscope: PathBuf,
    /// The project file, from the root of the file system.
    pub file: PathBuf,
    /// The folder it is in, where workers run.
    pub folder: PathBuf,
    /// The project file's text.
    pub text: String,
    /// What it says.
    pub project: Project,
}

/// What is to be done.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// The units, in order.
    pub units: Vec<Unit>,
    /// What cannot be done, and why.
    pub troubles: BTreeMap<String, String>,
}

/// What `nanoscope functions` says.
#[derive(Debug, Deserialize)]
struct Listing {
    functions: Vec<Listed>,
    main: bool,
    notes: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct Listed {
    function: String,
    symbol: String,
    file: String,
    inputs: Vec<String>,
    scalar: bool,
    goals: u64,
    code: String,
    untestable: Option<String>,
}

impl Setting {
    /// Reads a project file.
    pub fn read(file: &Path, nanoscope: PathBuf) -> Result<Setting, Trouble> {
        let cannot = |error: std::io::Error| {
            Trouble::User(format!("cannot read {}: {error}", file.display()))
        };
        let text = std::fs::read_to_string(file).map_err(cannot)?;
        let project = Project::parse(&text, &file.display().to_string()).map_err(Trouble::User)?;
        let file = file.canonicalize().map_err(cannot)?;
        let folder = file.parent().unwrap_or(Path::new("/")).to_owned();
        Ok(Setting { nanoscope, file, folder, text, project })
    }

    /// Where the store is, unless the user says otherwise.
    pub fn store(&self) -> PathBuf {
        let said = self.project.campaign.as_ref().and_then(|campaign| campaign.store.as_ref());
        match said {
            Some(store) => self.folder.join(store),
            None => self.file.with_extension("db"),
        }
    }

    /// Lists the units. `progress` is told what is looked at.
    pub fn plan(&self, progress: &dyn Fn(String)) -> Result<Plan, Trouble> {
        let Some(campaign) = &self.project.campaign else {
            return Err(Trouble::User(format!(
                "{} says nothing about a campaign: it needs a section [campaign] with sources or \
                 compile-commands",
                self.file.display()
            )));
        };
        let mut plan = Plan::default();
        for check in campaign.options.keys() {
            if !checks(campaign).contains(check) {
                plan.troubles.insert(
                    format!("options.{}", check.name()),
                    format!("`{}` is not among the checks", check.name()),
                );
            }
        }
        let sources = self.sources(campaign)?;
        if !sources.is_empty() || campaign.compile_commands.is_some() {
            match campaign.link {
                Link::Together => self.program(campaign, &sources, None, &mut plan, progress)?,
                Link::Apart => {
                    for source in &sources {
                        let alone = std::slice::from_ref(source);
                        self.program(campaign, alone, Some(source), &mut plan, progress)?;
                    }
                }
            }
        } else if campaign.handling.is_empty() {
            return Err(Trouble::User(format!(
                "{}: [campaign] names no sources, no compile-commands and no handling",
                self.file.display()
            )));
        }
        for handling in &campaign.handling {
            self.handling(campaign, handling, &mut plan);
        }
        Ok(plan)
    }

    /// The sources that the patterns mean, from the project file's folder.
    fn sources(&self, campaign: &Campaign) -> Result<Vec<String>, Trouble> {
        let mut list = Vec::new();
        for pattern in &campaign.sources.0 {
            let complain =
                |why: String| Trouble::User(format!("{}: sources: {why}", self.file.display()));
            let whole =
                Path::new(&glob::Pattern::escape(&self.folder.display().to_string())).join(pattern);
            let found = glob::glob(&whole.display().to_string())
                .map_err(|error| complain(format!("`{pattern}` is no pattern: {error}")))?;
            let before = list.len();
            for path in found {
                let path = path.map_err(|error| complain(error.to_string()))?;
                let path = path.strip_prefix(&self.folder).unwrap_or(&path).display().to_string();
                if !list.contains(&path) {
                    list.push(path);
                }
            }
            if list.len() == before {
                return Err(complain(format!("there is no file `{pattern}`")));
            }
        }
        Ok(list)
    }

    /// Adds the units of one program.
    fn program(
        &self,
        campaign: &Campaign,
        sources: &[String],
        name: Option<&String>,
        plan: &mut Plan,
        progress: &dyn Fn(String),
    ) -> Result<(), Trouble> {
        let what = match (name, sources) {
            (Some(name), _) | (None, [name]) => name.clone(),
            (None, []) => campaign.compile_commands.clone().unwrap_or_default(),
            (None, several) => format!("{} sources", several.len()),
        };
        progress(format!("listing the functions of {what}"));
        let mut kept = sources.to_vec();
        let mut listing = self.list(campaign, &kept);
        if listing.is_err() && sources.len() > 1 {
            // One source that does not compile is no reason to lose the others.
            kept.retain(|source| {
                progress(format!("compiling {source}"));
                match self.list(campaign, std::slice::from_ref(source)) {
                    Ok(_) => true,
                    Err(Trouble::User(why)) => {
                        plan.troubles.insert(source.clone(), why);
                        false
                    }
                    Err(Trouble::Internal(_)) => true,
                }
            });
            if kept.is_empty() {
                return Ok(());
            }
            if kept.len() < sources.len() {
                listing = self.list(campaign, &kept);
            }
        }
        let listing = match listing {
            Ok(listing) => listing,
            Err(Trouble::User(why)) => {
                plan.troubles.insert(what, why);
                return Ok(());
            }
            Err(trouble) => return Err(trouble),
        };
        for (at, note) in listing.notes.iter().enumerate() {
            plan.troubles.insert(format!("{what} ({})", at + 1), note.clone());
        }
        self.units(campaign, &kept, name, &listing, plan)
    }

    fn units(
        &self,
        campaign: &Campaign,
        sources: &[String],
        name: Option<&String>,
        listing: &Listing,
        plan: &mut Plan,
    ) -> Result<(), Trouble> {
        let wanted = Wanted::new(campaign)
            .map_err(|why| Trouble::User(format!("{}: {why}", self.file.display())))?;
        let mut names = BTreeMap::new();
        for listed in &listing.functions {
            *names.entry(listed.function.as_str()).or_insert(0) += 1;
        }
        let target = |function: &str| match name {
            Some(name) => format!("{name}:{function}"),
            None => function.to_owned(),
        };
        for listed in &listing.functions {
            if !wanted.includes(listed) || (campaign.scalar_only && !listed.scalar) {
                continue;
            }
            let unique = names[listed.function.as_str()] == 1;
            let function = if unique { &listed.function } else { &listed.symbol };
            if let Some(why) = &listed.untestable {
                let why = format!("{function} {why}");
                plan.troubles.insert(format!("{} ({})", target(function), listed.file), why);
                continue;
            }
            for check in checks(campaign) {
                let command = match check {
                    Check::Exceptions | Check::Precision if listed.goals == 0 => continue,
                    Check::Exceptions | Check::Precision => {
                        self.analysis(campaign, check, sources, function)
                    }
                    Check::Test => self.test(campaign, sources, Some((function, &listed.inputs))),
                    Check::Handling => continue,
                };
                let key = self.key(check, &listed.code, &command, Some(function));
                let target = target(function);
                plan.units.push(Unit { target, check, key, command, input: None });
            }
        }
        if listing.main && wanted.includes_name("main") && checks(campaign).contains(&Check::Test) {
            let command = self.test(campaign, sources, None);
            let codes: Vec<&str> =
                listing.functions.iter().map(|listed| listed.code.as_str()).collect();
            let mut contents = codes.join(" ");
            for source in sources {
                contents.push_str(&self.contents(source));
            }
            let key = self.key(Check::Test, &contents, &command, None);
            plan.units.push(Unit {
                target: target("main"),
                check: Check::Test,
                key,
                command,
                input: None,
            });
        }
        Ok(())
    }

    /// The words of `nanoscope exceptions` and `nanoscope precision`.
    fn analysis(
        &self,
        campaign: &Campaign,
        check: Check,
        sources: &[String],
        function: &str,
    ) -> Vec<String> {
        let mut words = vec![check.name().to_owned()];
        words.extend(program_words(campaign, sources));
        words.extend(["--function".to_owned(), function.to_owned()]);
        words.extend(["--project".to_owned(), self.file.display().to_string()]);
        words.extend(["--seed".to_owned(), campaign.seed.unwrap_or(1).to_string()]);
        words.extend(["--jobs".to_owned(), "1".to_owned()]);
        if let Some(evaluations) = campaign.evaluations {
            words.extend(["--evaluations".to_owned(), evaluations.to_string()]);
        }
        if let Some(seconds) = campaign.function_time {
            words.extend(["--function-time".to_owned(), seconds.to_string()]);
        }
        words.extend(["--time-limit".to_owned(), seconds(campaign).to_string()]);
        words.extend(more(campaign, check));
        words
    }

    /// The words of `nanoscope test`.
    fn test(
        &self,
        campaign: &Campaign,
        sources: &[String],
        function: Option<(&String, &Vec<String>)>,
    ) -> Vec<String> {
        let mut words = vec![Check::Test.name().to_owned()];
        words.extend(program_words(campaign, sources));
        words.extend(["--seed".to_owned(), campaign.seed.unwrap_or(1).to_string()]);
        words.extend(["--time-limit".to_owned(), seconds(campaign).to_string()]);
        if let Some((function, inputs)) = function {
            words.extend(["--function".to_owned(), function.clone()]);
            let has = |name: &String| {
                inputs.iter().any(|input| {
                    input
                        .trim_start_matches('*')
                        .strip_prefix(name.as_str())
                        .is_some_and(|rest| rest.is_empty() || rest.starts_with(['[', '(']))
                })
            };
            let project = &self.project;
            let known = project.function.get(function);
            let ranges = project.input.iter().chain(known.iter().flat_map(|known| &known.input));
            for (name, range) in ranges.filter(|(name, _)| has(name)) {
                words.extend(["--input".to_owned(), format!("{name}={range}")]);
            }
            let arrays = project.array.iter().chain(known.iter().flat_map(|known| &known.array));
            for (name, elements) in arrays.filter(|(name, _)| has(name)) {
                let elements = match elements {
                    Elements::Number(number) => number.to_string(),
                    Elements::Expression(text) => text.clone(),
                };
                words.extend(["--array".to_owned(), format!("{name}={elements}")]);
            }
        }
        words.extend(more(campaign, Check::Test));
        words
    }

    /// Adds the unit of one program whose handling of exceptions is tested.
    fn handling(&self, campaign: &Campaign, handling: &Handling, plan: &mut Plan) {
        let mut words = vec![Check::Handling.name().to_owned()];
        for prototypes in &handling.prototypes.0 {
            words.extend(["--prototypes".to_owned(), prototypes.clone()]);
        }
        for routine in &handling.error_routines.0 {
            words.extend(["--error-routine".to_owned(), routine.clone()]);
        }
        words.extend(["--time-limit".to_owned(), seconds(campaign).to_string()]);
        words.extend(["--jobs".to_owned(), "1".to_owned()]);
        words.extend(more(campaign, Check::Handling));
        words.push("--".to_owned());
        words.extend(handling.command.0.iter().cloned());
        let files = handling.prototypes.0.iter().chain(&handling.command.0).chain(&handling.input);
        let contents: String = files.map(|file| self.contents(file)).collect();
        let key = self.key(Check::Handling, &contents, &words, None);
        plan.units.push(Unit {
            target: handling.command.0.join(" "),
            check: Check::Handling,
            key,
            command: words,
            input: handling.input.clone(),
        });
    }

    /// Names the contents of a file, if it is one.
    fn contents(&self, file: &str) -> String {
        std::fs::read(self.folder.join(file))
            .map_or_else(|_| String::new(), |bytes| blake3::hash(&bytes).to_hex().to_string())
    }

    /// Names a unit's code, options and version.
    fn key(
        &self,
        check: Check,
        code: &str,
        command: &[String],
        function: Option<&String>,
    ) -> String {
        let project = &self.project;
        let known = (&project.assume, &project.status_ok, &project.value, &project.input);
        let said = format!(
            "{known:?} {:?} {:?}",
            project.array,
            function.and_then(|function| project.function.get(function))
        );
        let mut hash = blake3::Hasher::new();
        let words = command.iter().map(String::as_str);
        let folder = self.file.display().to_string();
        // A project that moved to another folder is the same.
        let words = words.map(|word| if word == folder { "" } else { word });
        for text in [env!("CARGO_PKG_VERSION"), check.name(), code, &said].into_iter().chain(words)
        {
            hash.update(&(text.len() as u64).to_le_bytes());
            hash.update(text.as_bytes());
        }
        hash.finalize().to_hex().to_string()
    }

    /// Has Nanoscope list a program's functions.
    fn list(&self, campaign: &Campaign, sources: &[String]) -> Result<Listing, Trouble> {
        let output = Command::new(&self.nanoscope)
            .arg("functions")
            .args(program_words(campaign, sources))
            .args(["--project", &self.file.display().to_string(), "--json", "-"])
            .current_dir(&self.folder)
            .env(PARENT, std::process::id().to_string())
            .stdin(Stdio::null())
            .output()
            .map_err(|error| {
                Trouble::Internal(format!("cannot run {}: {error}", self.nanoscope.display()))
            })?;
        let said = String::from_utf8_lossy(&output.stderr);
        let said = said.trim().trim_start_matches("nanoscope: ").to_owned();
        match output.status.code() {
            Some(0) => serde_json::from_slice(&output.stdout).map_err(|error| {
                Trouble::Internal(format!("`nanoscope functions` is not understood: {error}"))
            }),
            Some(2) => Err(Trouble::User(said)),
            Some(_) | None if said.is_empty() => {
                Err(Trouble::User(format!("listing the functions ended with {}", output.status)))
            }
            Some(_) | None => Err(Trouble::User(said)),
        }
    }
}

/// What is checked, where something or nothing is said.
fn checks(campaign: &Campaign) -> BTreeSet<Check> {
    match campaign.checks.as_slice() {
        [] => BTreeSet::from([Check::Exceptions]),
        some => some.iter().copied().collect(),
    }
}

fn seconds(campaign: &Campaign) -> f64 {
    let usual = if campaign.evaluations.is_some() { SECONDS_WHEN_COUNTED } else { SECONDS };
    campaign.time_limit.unwrap_or(usual)
}

fn more(campaign: &Campaign, check: Check) -> Vec<String> {
    campaign.options.get(&check).map(|List(words)| words.clone()).unwrap_or_default()
}

/// The words that name a program: sources, flags, compile commands.
fn program_words(campaign: &Campaign, sources: &[String]) -> Vec<String> {
    let mut words = sources.to_vec();
    if let Some(file) = &campaign.compile_commands {
        words.extend(["--compile-commands".to_owned(), file.clone()]);
    }
    for flag in &campaign.flags.0 {
        words.push(format!("--cflags={}", quoted(flag)));
    }
    words
}

/// A word as a shell reads it; several flags in one text stay several.
fn quoted(flags: &str) -> String {
    match flags.starts_with('-') && flags.contains(char::is_whitespace) {
        true => flags.to_owned(),
        false => format!("'{}'", flags.replace('\'', "'\\''")),
    }
}

/// The functions that are meant.
struct Wanted {
    functions: Vec<glob::Pattern>,
    exclude: Vec<glob::Pattern>,
}

impl Wanted {
    fn new(campaign: &Campaign) -> Result<Wanted, String> {
        let patterns = |list: &List| -> Result<Vec<glob::Pattern>, String> {
            let read = |text: &String| {
                glob::Pattern::new(text).map_err(|error| format!("`{text}` is no pattern: {error}"))
            };
            list.0.iter().map(read).collect()
        };
        Ok(Wanted {
            functions: patterns(&campaign.functions)?,
            exclude: patterns(&campaign.exclude)?,
        })
    }

    fn includes(&self, listed: &Listed) -> bool {
        let any = |patterns: &[glob::Pattern]| {
            let names = [&listed.function, &listed.symbol];
            patterns.iter().any(|pattern| names.iter().any(|name| pattern.matches(name)))
        };
        (self.functions.is_empty() || any(&self.functions)) && !any(&self.exclude)
    }

    fn includes_name(&self, name: &str) -> bool {
        let any = |patterns: &[glob::Pattern]| patterns.iter().any(|it| it.matches(name));
        (self.functions.is_empty() || any(&self.functions)) && !any(&self.exclude)
    }
}
