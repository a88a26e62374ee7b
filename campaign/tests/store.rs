//! A campaign that is disturbed: killed, shared, out of disk, damaged. Workers are a shell script
//! that writes a report with one finding.

use nanoscope_campaign::project::Check;
use nanoscope_campaign::{Journal, Listener, Store, Trouble, Unit, Workshop, gather};
use nanoscope_report::{Claim, Evidence, Finding, Kind, Place, Report, Run, to_json};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// Where a process of a test finds its store.
const STORE: &str = "NANOSCOPE_TEST_STORE";

/// Makes a worker: it counts its runs in `log`, and writes a report about `--function F`.
fn workshop(folder: &Path, body: &str) -> Workshop {
    let finding = Finding::new(
        Claim {
            id: "overflow-FUNCTION-1.1-fmul".into(),
            kind: Kind::Overflow,
            function: "FUNCTION".into(),
            place: Place { file: "a.c".into(), line: 1, column: 1 },
            operation: "fmul".into(),
            inputs: Vec::new(),
            engine: "native-search".into(),
        },
        Evidence::default(),
    );
    let run = Run { command: "exceptions".into(), seed: 1, subject: Default::default() };
    let report = Report::new(run, vec![finding], Vec::new(), Default::default());
    fs::write(folder.join("report.json"), to_json(&report)).expect("it is written");
    let script = folder.join("worker");
    let text = format!(
        "#!/bin/sh\nfor word; do last=$word; done\n{body}\n\
         sed \"s/FUNCTION/$last/\" {}/report.json\nexit 1\n",
        folder.display()
    );
    fs::write(&script, text).expect("it is written");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).expect("it can be run");
    Workshop { nanoscope: script, folder: folder.to_owned(), jobs: 2 }
}

fn units(count: usize) -> Vec<Unit> {
    let unit = |number: usize| Unit {
        target: format!("f{number}"),
        check: Check::Exceptions,
        key: format!("key {number}"),
        command: vec!["exceptions".into(), "--function".into(), format!("f{number}")],
        input: None,
    };
    (0..count).map(unit).collect()
}

fn planned(folder: &Path, units: &[Unit]) -> PathBuf {
    let path = folder.join("store.db");
    let mut store = Store::open(&path, Journal::WriteAhead).expect("it can be made");
    store.plan(&[], units, &BTreeMap::new()).expect("it can be planned");
    path
}

fn work(workshop: &Workshop, store: &Path) -> Result<(), Trouble> {
    let listener = Listener { ended: &|_, _| (), stop: &AtomicBool::new(false) };
    workshop.work(store, &listener)
}

/// Every unit has one result, with its own finding.
#[track_caller]
fn check_complete(store: &Path, count: usize) {
    let store = Store::existing(store).expect("it is a store");
    let counts = store.counts().expect("it can be read");
    assert_eq!((counts.done, counts.total()), (count as u64, count as u64));
    let report = gather(&store).expect("it can be read");
    let mut found: Vec<&str> = report.findings.iter().map(|it| it.function.as_str()).collect();
    found.sort_unstable();
    let mut wanted: Vec<String> = (0..count).map(|number| format!("f{number}")).collect();
    wanted.sort_unstable();
    assert_eq!(found, wanted, "nothing lost, nothing doubled");
}

/// Not a test of its own: what a process of the tests below does.
#[test]
fn as_a_process() {
    if let Some(store) = std::env::var_os(STORE) {
        let store = PathBuf::from(store);
        let folder = store.parent().expect("it is in a folder").to_owned();
        let workshop = Workshop { nanoscope: folder.join("worker"), folder, jobs: 2 };
        work(&workshop, &store).expect("the work is done");
    }
}

fn process(store: &Path) -> Child {
    Command::new(std::env::current_exe().expect("this test is a file"))
        .args(["--exact", "as_a_process"])
        .env(STORE, store)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts")
}

#[test]
fn killed_a_hundred_times() {
    let folder = tempfile::tempdir().expect("a folder");
    workshop(folder.path(), "sleep 0.03");
    let mut count = 400;
    let store = planned(folder.path(), &units(count));
    // A small generator is random enough, and the same in every run.
    let mut state = 12345_u64;
    let mut random = move || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        state >> 33
    };
    let mut kills = 0;
    while kills < 100 {
        let mut child = process(&store);
        std::thread::sleep(Duration::from_millis(20 + random() % 60));
        if child.try_wait().expect("it can be asked").is_none() {
            child.kill().expect("it can be killed");
            kills += 1;
        } else if Store::existing(&store).expect("a store").counts().expect("counts").left() == 0 {
            // All done before a hundred, on a quick machine: there is more to do.
            count += 200;
            let more = Store::open(&store, Journal::WriteAhead)
                .and_then(|mut store| store.plan(&[], &units(count), &BTreeMap::new()));
            assert_eq!(more.expect("it can be planned").added, 200);
        }
        child.wait().expect("it ends");
    }
    assert_eq!(kills, 100);
    assert!(process(&store).wait().expect("it ends").success());
    check_complete(&store, count);
}

#[test]
fn two_processes_share_the_work() {
    let folder = tempfile::tempdir().expect("a folder");
    workshop(folder.path(), &format!("echo $last >> {}/log", folder.path().display()));
    let store = planned(folder.path(), &units(60));
    let mut both = [process(&store), process(&store)];
    for child in &mut both {
        assert!(child.wait().expect("it ends").success());
    }
    check_complete(&store, 60);
    let log = fs::read_to_string(folder.path().join("log")).expect("it is written");
    assert_eq!(log.lines().count(), 60, "no unit was done twice");
}

#[test]
fn what_has_not_changed_is_not_done_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let workshop =
        workshop(folder.path(), &format!("echo $last >> {}/log", folder.path().display()));
    let mut list = units(5);
    let store = planned(folder.path(), &list);
    work(&workshop, &store).expect("the work is done");
    list[3].key = "changed".into();
    list.remove(0);
    let planned = Store::open(&store, Journal::WriteAhead)
        .and_then(|mut store| store.plan(&[], &list, &BTreeMap::new()))
        .expect("it can be planned");
    assert_eq!((planned.added, planned.changed, planned.kept, planned.removed), (0, 1, 3, 1));
    work(&workshop, &store).expect("the work is done");
    let log = fs::read_to_string(folder.path().join("log")).expect("it is written");
    assert_eq!(log.lines().count(), 6);
}

#[test]
fn crashes_and_refusals_cost_one_unit() {
    let folder = tempfile::tempdir().expect("a folder");
    let workshop = workshop(
        folder.path(),
        "case $last in f1) kill -SEGV $$;; f2) echo 'nanoscope: no such thing' >&2; exit 2;; esac",
    );
    let store = planned(folder.path(), &units(4));
    work(&workshop, &store).expect("the work is done");
    let store = Store::existing(&store).expect("it is a store");
    let counts = store.counts().expect("counts");
    assert_eq!((counts.done, counts.failed), (2, 2));
    let report = gather(&store).expect("it can be read");
    let notes: Vec<&str> = report.notes.iter().map(|note| note.text.as_str()).collect();
    assert!(notes[0].contains("signal 11") && notes[1].contains("no such thing"), "{notes:?}");
}

#[test]
fn a_full_disk_loses_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    workshop(folder.path(), "");
    let store = planned(folder.path(), &units(200));
    // No file of this process may grow beyond 100 KiB: the store does.
    let limited = Command::new("sh")
        .args(["-c", "trap '' XFSZ; ulimit -f 200; exec \"$0\" --exact as_a_process"])
        .arg(std::env::current_exe().expect("this test is a file"))
        .env(STORE, &store)
        .output()
        .expect("it runs");
    let said = String::from_utf8_lossy(&limited.stdout).into_owned();
    assert!(!limited.status.success(), "the limit was reached");
    assert!(said.contains("Everything found until now is kept"), "{said}");
    let done = Store::existing(&store).and_then(|store| store.counts()).expect("counts").done;
    assert!((1..200).contains(&done), "{done} are kept");
    assert!(process(&store).wait().expect("it ends").success());
    check_complete(&store, 200);
}

#[test]
fn a_damaged_store_is_told_and_rescued() {
    let folder = tempfile::tempdir().expect("a folder");
    let workshop = workshop(folder.path(), "");
    let path = planned(folder.path(), &units(40));
    work(&workshop, &path).expect("the work is done");
    drop(Store::open(&path, Journal::WriteAhead).expect("it closes and so writes its log"));
    let mut bytes = fs::read(&path).expect("it is a file");
    let at = bytes.len() - 2 * 4096;
    bytes[at..at + 4096].fill(0xa5);
    fs::write(&path, &bytes).expect("it can be damaged");
    let why = Store::open(&path, Journal::WriteAhead).map(drop).expect_err("it is damaged");
    assert!(why.to_string().contains("is damaged") && why.to_string().contains("merge"), "{why}");
    let mut rescued =
        Store::open(&folder.path().join("rescued.db"), Journal::WriteAhead).expect("a new one");
    let (taken, _) = rescued.merge(std::slice::from_ref(&path)).expect("it can be read");
    assert!(taken >= 20, "{taken} are rescued");
    fs::write(&path, "not a database at all, whatever its name says").expect("it is written");
    let why = Store::existing(&path).map(drop).expect_err("it is no store");
    assert!(why.to_string().contains("damaged"), "{why}");
}

/// Whatever page is lost: a store has all results, or says that it is damaged.
#[test]
fn no_damage_loses_results_silently() {
    let folder = tempfile::tempdir().expect("a folder");
    let workshop = workshop(folder.path(), "");
    let path = planned(folder.path(), &units(12));
    work(&workshop, &path).expect("the work is done");
    drop(Store::open(&path, Journal::WriteAhead).expect("it closes and so writes its log"));
    let whole = fs::read(&path).expect("it is a file");
    let mut told = 0;
    for page in 0..whole.len() / 4096 {
        let damaged = folder.path().join(format!("damaged-{page}.db"));
        let mut bytes = whole.clone();
        bytes[page * 4096..(page + 1) * 4096].fill(0xa5);
        fs::write(&damaged, &bytes).expect("it can be written");
        match Store::existing(&damaged).and_then(|store| store.outcomes()) {
            Ok(outcomes) => assert_eq!(outcomes.len(), 12, "page {page}"),
            Err(why) => {
                told += 1;
                assert!(why.to_string().contains("damaged"), "page {page}: {why}");
            }
        }
    }
    assert!(told > 2, "{told} pages matter");
}

#[test]
fn shards_are_merged_without_doubling() {
    let folder = tempfile::tempdir().expect("a folder");
    let workshop = workshop(folder.path(), "");
    let all = units(20);
    let main = planned(folder.path(), &all);
    let mut shards = Vec::new();
    for part in 0..2 {
        let path = folder.path().join(format!("part-{part}.db"));
        let mut shard = Store::open(&path, Journal::Rollback).expect("it can be made");
        // One unit is in both.
        let list: Vec<Unit> = all
            .iter()
            .enumerate()
            .filter(|(at, _)| at % 2 == part || *at == 7)
            .map(|(_, unit)| unit.clone())
            .collect();
        shard.plan(&[], &list, &BTreeMap::new()).expect("it can be planned");
        work(&workshop, &path).expect("the work is done");
        shards.push(path);
    }
    let mut store = Store::existing(&main).expect("it is a store");
    assert_eq!(store.merge(&shards).expect("they can be read"), (20, 0));
    assert_eq!(store.merge(&shards).expect("they can be read"), (0, 0));
    check_complete(&main, 20);
}

#[test]
fn stopping_gives_units_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let workshop = workshop(folder.path(), "sleep 100");
    let path = planned(folder.path(), &units(3));
    let stop = AtomicBool::new(true);
    let start = Instant::now();
    workshop.work(&path, &Listener { ended: &|_, _| (), stop: &stop }).expect("it stops");
    assert!(start.elapsed() < Duration::from_secs(60));
    let counts = Store::existing(&path).and_then(|store| store.counts()).expect("counts");
    assert_eq!((counts.waiting, counts.running), (3, 0));
}
