//! The store: every unit of work and every result, in SQLite.
//!
//! A result is written in the transaction that ends its unit, by whoever holds the unit's lease
//! and by nobody else. So a process can be killed at any moment: a unit is done with its result,
//! or it is not done. Processes on one store share the work; a lease that nobody renews, or whose
//! process is gone, is free.

use crate::fault::Trouble;
use crate::lease::Holder;
use crate::unit::Unit;
use nanoscope_report::{Report, from_json, to_json};
use rusqlite::{Connection, ErrorCode, OptionalExtension, TransactionBehavior, params};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The version of the tables.
const VERSION: i64 = 1;

/// How long to wait for other processes.
const PATIENCE: Duration = Duration::from_secs(60);

/// A lease that was not renewed for so long is free, wherever its holder is.
pub const LEASE: Duration = Duration::from_secs(60);

/// A worker that crashed so often has crashed because of its unit.
const CRASHES: u32 = 2;

const TABLES: &str = "
CREATE TABLE project (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE units (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    target TEXT NOT NULL,
    kind TEXT NOT NULL,
    key TEXT NOT NULL,
    command TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'running', 'done', 'failed')),
    crashes INTEGER NOT NULL DEFAULT 0,
    attempt INTEGER NOT NULL DEFAULT 0,
    holder TEXT,
    renewed INTEGER,
    UNIQUE (target, kind)
);
CREATE INDEX by_state ON units (state, id);
CREATE TABLE results (
    unit INTEGER PRIMARY KEY REFERENCES units (id) ON DELETE CASCADE,
    finished INTEGER NOT NULL,
    seconds REAL NOT NULL,
    message TEXT,
    report TEXT
);
CREATE TABLE findings (
    unit INTEGER NOT NULL REFERENCES units (id) ON DELETE CASCADE,
    id TEXT NOT NULL,
    kind TEXT NOT NULL,
    PRIMARY KEY (unit, id)
) WITHOUT ROWID;
CREATE TABLE troubles (what TEXT PRIMARY KEY, message TEXT NOT NULL) WITHOUT ROWID;
";

/// An open store.
#[derive(Debug)]
pub struct Store {
    path: PathBuf,
    connection: Connection,
}

/// How a store writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Journal {
    /// A write-ahead log: readers and writers do not wait for each other. On one machine.
    WriteAhead,
    /// A rollback journal, which file systems that machines share can do.
    Rollback,
}

/// A unit that this process works on.
#[derive(Clone, Debug)]
pub struct Claim {
    /// Its number in the store.
    pub id: i64,
    /// What to do.
    pub unit: Unit,
    /// Which attempt this is: with the holder, what the lease is known by.
    attempt: u32,
}

/// How a worker ended.
#[derive(Clone, Debug)]
pub enum Ended {
    /// With a report.
    Report(Box<Report>),
    /// With a message; the next time would be the same.
    Refused(String),
    /// By a crash; another attempt may go better.
    Crashed(String),
}

/// The result of a unit.
#[derive(Clone, Debug)]
pub struct UnitResult {
    /// The unit.
    pub unit: Unit,
    /// When it ended, in milliseconds since 1970.
    pub finished: i64,
    /// How long it took.
    pub seconds: f64,
    /// Why there is no report.
    pub message: Option<String>,
    /// The report.
    pub report: Option<Report>,
}

/// Units, counted by their state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Those that wait.
    pub waiting: u64,
    /// Those worked on.
    pub running: u64,
    /// Those with a report.
    pub done: u64,
    /// Those that ended without one.
    pub failed: u64,
}

impl Counts {
    /// All of them.
    pub fn total(self) -> u64 {
        self.left() + self.done + self.failed
    }

    /// Those that have not ended.
    pub fn left(self) -> u64 {
        self.waiting + self.running
    }
}

/// What planning changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Planned {
    /// Units that are new.
    pub added: u64,
    /// Units whose code or options changed.
    pub changed: u64,
    /// Units that are as they were, with their results.
    pub kept: u64,
    /// Units that are gone.
    pub removed: u64,
}

impl Store {
    /// Opens a store, or makes one.
    pub fn open(path: &Path, journal: Journal) -> Result<Store, Trouble> {
        let store = Store::connect(path, Connection::open(path))?;
        let told = |error| store.told(error);
        let mode = match journal {
            Journal::WriteAhead => "WAL",
            Journal::Rollback => "DELETE",
        };
        let version: i64 = store
            .connection
            .pragma_query_value(None, "user_version", |row| row.get(0))
            .map_err(told)?;
        if version == 0 {
            store.connection.pragma_update(None, "journal_mode", mode).map_err(told)?;
        }
        store.connection.pragma_update(None, "synchronous", "FULL").map_err(told)?;
        store.create().map_err(told)?;
        store.check_version()?;
        let health: String = store
            .connection
            .query_row("PRAGMA quick_check(1)", [], |row| row.get(0))
            .map_err(told)?;
        if health != "ok" {
            return Err(damaged(path, &health));
        }
        Ok(store)
    }

    /// Opens a store that is there.
    pub fn existing(path: &Path) -> Result<Store, Trouble> {
        if !path.is_file() {
            return Err(Trouble::User(format!(
                "there is no store {}: `nanoscope campaign run` makes one",
                path.display()
            )));
        }
        let store = Store::connect(path, Connection::open(path))?;
        store.check_version()?;
        Ok(store)
    }

    fn connect(path: &Path, made: rusqlite::Result<Connection>) -> Result<Store, Trouble> {
        let connection = made.map_err(|error| told(path, &error))?;
        let store = Store { path: path.to_owned(), connection };
        store.connection.busy_timeout(PATIENCE).map_err(|error| store.told(error))?;
        store
            .connection
            .pragma_update(None, "foreign_keys", true)
            .map_err(|error| store.told(error))?;
        Ok(store)
    }

    fn create(&self) -> rusqlite::Result<()> {
        let change = self.change()?;
        let version: i64 = change.pragma_query_value(None, "user_version", |row| row.get(0))?;
        if version == 0 {
            change.execute_batch(TABLES)?;
            change.pragma_update(None, "user_version", VERSION)?;
        }
        change.commit()
    }

    fn check_version(&self) -> Result<(), Trouble> {
        let version: i64 = self
            .connection
            .pragma_query_value(None, "user_version", |row| row.get(0))
            .map_err(|error| self.told(error))?;
        match version {
            VERSION => Ok(()),
            0 => {
                Err(Trouble::User(format!("{} is not a store of a campaign", self.path.display())))
            }
            _ => Err(Trouble::User(format!(
                "{} was made by another version of Nanoscope",
                self.path.display()
            ))),
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Something said about the whole campaign.
    pub fn said(&self, key: &str) -> Result<Option<String>, Trouble> {
        self.connection
            .query_row("SELECT value FROM project WHERE key = ?1", [key], |row| row.get(0))
            .optional()
            .map_err(|error| self.told(error))
    }

    /// Makes the units those of a plan. Results of units that have not changed are kept; all of
    /// it happens at once.
    pub fn plan(
        &mut self,
        said: &[(&str, &str)],
        units: &[Unit],
        troubles: &BTreeMap<String, String>,
    ) -> Result<Planned, Trouble> {
        self.try_plan(said, units, troubles).map_err(|error| self.told(error))
    }

    fn try_plan(
        &self,
        said: &[(&str, &str)],
        units: &[Unit],
        troubles: &BTreeMap<String, String>,
    ) -> rusqlite::Result<Planned> {
        let change = self.change()?;
        let mut planned = Planned::default();
        for (key, value) in said {
            change.execute("INSERT OR REPLACE INTO project VALUES (?1, ?2)", [key, value])?;
        }
        change.execute("DELETE FROM troubles", [])?;
        for (what, message) in troubles {
            change.execute("INSERT INTO troubles VALUES (?1, ?2)", [what, message])?;
        }
        let mut wanted = BTreeSet::new();
        for unit in units {
            let (target, kind) = (unit.target.as_str(), unit.check.name());
            wanted.insert((target.to_owned(), kind.to_owned()));
            let known: Option<(i64, String)> = change
                .query_row(
                    "SELECT id, key FROM units WHERE target = ?1 AND kind = ?2",
                    [target, kind],
                    |row| Ok((row.get(0)?, row.get(1)?)),
                )
                .optional()?;
            let command = unit.command_text();
            match known {
                Some((id, key)) if key == unit.key => {
                    // The words may differ in what makes no difference to the result.
                    change.execute(
                        "UPDATE units SET command = ?2 WHERE id = ?1",
                        params![id, command],
                    )?;
                    planned.kept += 1;
                }
                Some((id, _)) => {
                    change.execute("DELETE FROM units WHERE id = ?1", [id])?;
                    insert(&change, unit)?;
                    planned.changed += 1;
                }
                None => {
                    insert(&change, unit)?;
                    planned.added += 1;
                }
            }
        }
        let all: Vec<(i64, String, String)> = {
            let mut query = change.prepare("SELECT id, target, kind FROM units")?;
            let rows = query.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
            rows.collect::<Result<_, _>>()?
        };
        for (id, target, kind) in all {
            if !wanted.contains(&(target, kind)) {
                change.execute("DELETE FROM units WHERE id = ?1", [id])?;
                planned.removed += 1;
            }
        }
        change.commit()?;
        Ok(planned)
    }

    /// Says something about the whole campaign.
    pub(crate) fn say(&mut self, said: &[(&str, &str)]) -> Result<(), Trouble> {
        for (key, value) in said {
            self.connection
                .execute("INSERT OR REPLACE INTO project VALUES (?1, ?2)", [key, value])
                .map_err(|error| self.told(error))?;
        }
        Ok(())
    }

    /// Lets units that ended without a report be tried again.
    pub fn retry_failed(&mut self) -> Result<u64, Trouble> {
        let retry = || {
            let change = self.change()?;
            change.execute(
                "DELETE FROM results WHERE unit IN (SELECT id FROM units WHERE state = 'failed')",
                [],
            )?;
            let count = change.execute(
                "UPDATE units SET state = 'waiting', crashes = 0 WHERE state = 'failed'",
                [],
            )?;
            change.commit()?;
            Ok(count as u64)
        };
        retry().map_err(|error| self.told(error))
    }

    /// Takes a unit that nobody works on.
    pub fn claim(&mut self, holder: &Holder) -> Result<Option<Claim>, Trouble> {
        self.try_claim(holder).map_err(|error| self.told(error))
    }

    fn try_claim(&self, holder: &Holder) -> rusqlite::Result<Option<Claim>> {
        let change = self.change()?;
        self.free_leases(&change, holder)?;
        let found: Option<(i64, String, String, String, String, u32)> = change
            .query_row(
                "SELECT id, target, kind, key, command, attempt FROM units
                 WHERE state = 'waiting' ORDER BY crashes, id LIMIT 1",
                [],
                |row| {
                    Ok((
                        row.get(0)?,
                        row.get(1)?,
                        row.get(2)?,
                        row.get(3)?,
                        row.get(4)?,
                        row.get(5)?,
                    ))
                },
            )
            .optional()?;
        let claim = match found {
            None => None,
            Some((id, target, kind, key, command, attempt)) => {
                change.execute(
                    "UPDATE units SET state = 'running', holder = ?2, renewed = ?3, attempt = ?4
                     WHERE id = ?1",
                    params![id, holder.text(), now(), attempt + 1],
                )?;
                let unit = Unit::stored(target, &kind, key, &command);
                unit.map(|unit| Claim { id, unit, attempt: attempt + 1 })
            }
        };
        change.commit()?;
        Ok(claim)
    }

    /// Frees units whose holder is gone.
    fn free_leases(&self, change: &Connection, holder: &Holder) -> rusqlite::Result<()> {
        let mut query = change
            .prepare_cached("SELECT id, holder, renewed FROM units WHERE state = 'running'")?;
        let rows: Vec<(i64, String, i64)> = query
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
            .collect::<Result<_, _>>()?;
        for (id, text, renewed) in rows {
            let expired = now() - renewed > LEASE.as_millis() as i64;
            if expired || holder.knows_dead(&text) {
                change.execute(
                    "UPDATE units SET state = 'waiting', holder = NULL WHERE id = ?1",
                    [id],
                )?;
            }
        }
        Ok(())
    }

    /// Says that this process is still at work.
    pub fn renew(&self, holder: &Holder) -> Result<(), Trouble> {
        self.connection
            .execute(
                "UPDATE units SET renewed = ?2 WHERE state = 'running' AND holder = ?1",
                params![holder.text(), now()],
            )
            .map(drop)
            .map_err(|error| self.told(error))
    }

    /// Gives a unit back.
    pub fn release(&mut self, claim: &Claim, holder: &Holder) -> Result<(), Trouble> {
        self.connection
            .execute(
                "UPDATE units SET state = 'waiting', holder = NULL
                 WHERE id = ?1 AND state = 'running' AND holder = ?2 AND attempt = ?3",
                params![claim.id, holder.text(), claim.attempt],
            )
            .map(drop)
            .map_err(|error| self.told(error))
    }

    /// Ends a unit with its result, if it is still this process's.
    pub fn finish(
        &mut self,
        claim: &Claim,
        holder: &Holder,
        seconds: f64,
        ended: &Ended,
    ) -> Result<bool, Trouble> {
        self.try_finish(claim, holder, seconds, ended).map_err(|error| self.told(error))
    }

    fn try_finish(
        &self,
        claim: &Claim,
        holder: &Holder,
        seconds: f64,
        ended: &Ended,
    ) -> rusqlite::Result<bool> {
        let change = self.change()?;
        let crashes: Option<u32> = change
            .query_row(
                "SELECT crashes FROM units
                 WHERE id = ?1 AND state = 'running' AND holder = ?2 AND attempt = ?3",
                params![claim.id, holder.text(), claim.attempt],
                |row| row.get(0),
            )
            .optional()?;
        let Some(crashes) = crashes else { return Ok(false) };
        let (state, message, report) = match ended {
            Ended::Report(report) => ("done", None, Some(&**report)),
            Ended::Refused(why) => ("failed", Some(why), None),
            Ended::Crashed(why) if crashes + 1 >= CRASHES => ("failed", Some(why), None),
            Ended::Crashed(_) => {
                change.execute(
                    "UPDATE units SET state = 'waiting', holder = NULL, crashes = crashes + 1
                     WHERE id = ?1",
                    [claim.id],
                )?;
                change.commit()?;
                return Ok(false);
            }
        };
        change.execute(
            "UPDATE units SET state = ?2, holder = NULL WHERE id = ?1",
            params![claim.id, state],
        )?;
        insert_result(&change, claim.id, now(), seconds, message.map(String::as_str), report)?;
        change.commit()?;
        Ok(true)
    }

    /// Takes over a result of another store for a unit that has none.
    pub fn adopt(&mut self, outcome: &UnitResult) -> Result<bool, Trouble> {
        self.try_adopt(outcome).map_err(|error| self.told(error))
    }

    fn try_adopt(&self, outcome: &UnitResult) -> rusqlite::Result<bool> {
        let change = self.change()?;
        let unit = &outcome.unit;
        let known: Option<(i64, String, String)> = change
            .query_row(
                "SELECT id, key, state FROM units WHERE target = ?1 AND kind = ?2",
                [&unit.target, unit.check.name()],
                |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
            )
            .optional()?;
        let id = match known {
            Some((_, key, _)) if key != unit.key => return Ok(false),
            Some((_, _, state)) if state == "done" => return Ok(false),
            Some((_, _, state)) if state == "failed" && outcome.report.is_none() => {
                return Ok(false);
            }
            Some((id, ..)) => id,
            None => {
                insert(&change, unit)?;
                change.last_insert_rowid()
            }
        };
        let state = if outcome.report.is_some() { "done" } else { "failed" };
        change.execute(
            "UPDATE units SET state = ?2, holder = NULL WHERE id = ?1",
            params![id, state],
        )?;
        change.execute("DELETE FROM results WHERE unit = ?1", [id])?;
        let UnitResult { finished, seconds, message, report, .. } = outcome;
        insert_result(&change, id, *finished, *seconds, message.as_deref(), report.as_ref())?;
        change.commit()?;
        Ok(true)
    }

    /// Every result, in the order of the units.
    pub fn outcomes(&self) -> Result<Vec<UnitResult>, Trouble> {
        let (outcomes, unread) = self.readable_outcomes()?;
        match unread {
            0 => Ok(outcomes),
            _ => Err(damaged(&self.path, "some results cannot be read")),
        }
    }

    /// The results that can be read, and how many cannot: of a damaged store, what is left.
    pub fn readable_outcomes(&self) -> Result<(Vec<UnitResult>, u64), Trouble> {
        let (mut outcomes, mut unread) = (Vec::new(), 0);
        // Where one table is lost, the other tells how many there were.
        let last = |what: &str| -> rusqlite::Result<i64> {
            self.connection.query_row(&format!("SELECT coalesce(max({what}"), [], |row| row.get(0))
        };
        let last = match (last("id), 0) FROM units"), last("unit), 0) FROM results")) {
            (Ok(units), _) => units,
            (Err(_), Ok(results)) => results,
            (Err(error), Err(_)) => return Err(told(&self.path, &error)),
        };
        for id in 1..=last {
            match self.outcome(id) {
                Ok(Some(outcome)) => outcomes.push(outcome),
                Ok(None) => {}
                Err(_) => unread += 1,
            }
        }
        Ok((outcomes, unread))
    }

    fn outcome(&self, id: i64) -> Result<Option<UnitResult>, Trouble> {
        type Row = (String, String, String, String, i64, f64, Option<String>, Option<String>);
        let read = || -> rusqlite::Result<Option<Row>> {
            let mut query = self.connection.prepare_cached(
                "SELECT target, kind, key, command, finished, seconds, message, report
                 FROM units JOIN results ON results.unit = units.id WHERE units.id = ?1",
            )?;
            query
                .query_row([id], |row| {
                    Ok((
                        row.get(0)?,
                        row.get(1)?,
                        row.get(2)?,
                        row.get(3)?,
                        row.get(4)?,
                        row.get(5)?,
                        row.get(6)?,
                        row.get(7)?,
                    ))
                })
                .optional()
        };
        let Some((target, kind, key, command, finished, seconds, message, report)) =
            read().map_err(|error| self.told(error))?
        else {
            return Ok(None);
        };
        let report = match report.map(|text| from_json(&text)).transpose() {
            Ok(report) => report,
            Err(why) => return Err(damaged(&self.path, &why.to_string())),
        };
        Ok(Unit::stored(target, &kind, key, &command).map(|unit| UnitResult {
            unit,
            finished,
            seconds,
            message,
            report,
        }))
    }

    /// The units, with whether each has ended.
    pub fn units(&self) -> Result<Vec<(Unit, bool)>, Trouble> {
        let read = || -> rusqlite::Result<Vec<(Unit, bool)>> {
            let mut query = self
                .connection
                .prepare("SELECT target, kind, key, command, state FROM units ORDER BY id")?;
            let rows = query.query_map([], |row| {
                let (target, kind, key): (String, String, String) =
                    (row.get(0)?, row.get(1)?, row.get(2)?);
                let (command, state): (String, String) = (row.get(3)?, row.get(4)?);
                let ended = state == "done" || state == "failed";
                Ok(Unit::stored(target, &kind, key, &command).map(|unit| (unit, ended)))
            })?;
            rows.filter_map(Result::transpose).collect()
        };
        read().map_err(|error| self.told(error))
    }

    /// How many units are in which state.
    pub fn counts(&self) -> Result<Counts, Trouble> {
        let mut counts = Counts::default();
        for (state, count) in self.tally("SELECT state, count(*) FROM units GROUP BY state")? {
            match state.as_str() {
                "waiting" => counts.waiting = count,
                "running" => counts.running = count,
                "done" => counts.done = count,
                "failed" => counts.failed = count,
                _ => {}
            }
        }
        Ok(counts)
    }

    /// How many findings of which kind there are.
    pub fn kinds(&self) -> Result<Vec<(String, u64)>, Trouble> {
        self.tally("SELECT kind, count(*) FROM findings GROUP BY kind ORDER BY count(*) DESC, kind")
    }

    /// The units worked on.
    pub fn running(&self) -> Result<Vec<String>, Trouble> {
        let rows = self.tally("SELECT target, 1 FROM units WHERE state = 'running' ORDER BY id")?;
        Ok(rows.into_iter().map(|(target, _)| target).collect())
    }

    /// What could not be planned, and why.
    pub fn troubles(&self) -> Result<Vec<(String, String)>, Trouble> {
        let read = || -> rusqlite::Result<Vec<(String, String)>> {
            let mut query = self.connection.prepare("SELECT what, message FROM troubles")?;
            query.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
        };
        read().map_err(|error| self.told(error))
    }

    /// When the last results came, in milliseconds since 1970, the latest first.
    pub fn latest(&self, count: usize) -> Result<Vec<i64>, Trouble> {
        let read = || -> rusqlite::Result<Vec<i64>> {
            let mut query = self
                .connection
                .prepare("SELECT finished FROM results ORDER BY finished DESC LIMIT ?1")?;
            query.query_map([count as i64], |row| row.get(0))?.collect()
        };
        read().map_err(|error| self.told(error))
    }

    fn tally(&self, query: &str) -> Result<Vec<(String, u64)>, Trouble> {
        let read = || -> rusqlite::Result<Vec<(String, u64)>> {
            let mut query = self.connection.prepare(query)?;
            let rows =
                query.query_map([], |row| Ok((row.get(0)?, row.get::<_, i64>(1)? as u64)))?;
            rows.collect()
        };
        read().map_err(|error| self.told(error))
    }

    /// A change that others do not see by halves.
    fn change(&self) -> rusqlite::Result<rusqlite::Transaction<'_>> {
        rusqlite::Transaction::new_unchecked(&self.connection, TransactionBehavior::Immediate)
    }

    fn told(&self, error: rusqlite::Error) -> Trouble {
        told(&self.path, &error)
    }
}

fn insert(change: &Connection, unit: &Unit) -> rusqlite::Result<()> {
    change
        .execute(
            "INSERT INTO units (target, kind, key, command) VALUES (?1, ?2, ?3, ?4)",
            params![unit.target, unit.check.name(), unit.key, unit.command_text()],
        )
        .map(drop)
}

fn insert_result(
    change: &Connection,
    unit: i64,
    finished: i64,
    seconds: f64,
    message: Option<&str>,
    report: Option<&Report>,
) -> rusqlite::Result<()> {
    change.execute(
        "INSERT INTO results VALUES (?1, ?2, ?3, ?4, ?5)",
        params![unit, finished, seconds, message, report.map(to_json)],
    )?;
    change.execute("DELETE FROM findings WHERE unit = ?1", [unit])?;
    for finding in report.iter().flat_map(|report| &report.findings) {
        change.execute(
            "INSERT OR IGNORE INTO findings VALUES (?1, ?2, ?3)",
            params![unit, finding.id, finding.kind.name()],
        )?;
    }
    Ok(())
}

/// Milliseconds since 1970.
pub(crate) fn now() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_millis() as i64)
}

fn damaged(path: &Path, why: &str) -> Trouble {
    let path = path.display();
    Trouble::User(format!(
        "the store {path} is damaged: {why}\n\n`nanoscope campaign merge RESCUED.db {path}` copies \
         every result that can still be read into a new store; a campaign goes on from there with \
         --store RESCUED.db."
    ))
}

fn told(path: &Path, error: &rusqlite::Error) -> Trouble {
    let name = path.display();
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            damaged(path, &error.to_string())
        }
        Some(ErrorCode::DiskFull | ErrorCode::SystemIoFailure) => Trouble::User(format!(
            "cannot write the store {name}: {error}\n\nEverything found until now is kept. Make \
             room and run the same command again: it goes on from there."
        )),
        Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => {
            Trouble::User(format!("cannot open the store {name}: {error}"))
        }
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Trouble::User(format!(
            "the store {name} is in use: another process has kept it locked for a minute"
        )),
        Some(_) | None => Trouble::Internal(format!("the store {name}: {error}")),
    }
}
