//! Results of earlier compilations, found by the contents they were made of.
//!
//! Two kinds of file: an *object* (bitcode, object file, library, module file) under
//! the hash of everything it was made from, and a *record* under the hash of what is
//! known before compiling, which lists the files that the compiler read on the way.
//! A record counts only while every one of those is unchanged.
//!
//! Files are written beside and renamed into place, so processes may share a cache
//! without a lock; what cannot be read or parsed is as good as absent.

use crate::Fault;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

/// Beyond this the oldest results go.
const CAPACITY: u64 = 2 << 30;
/// What was used within this time stays: somebody may be running it.
const IN_USE: Duration = Duration::from_secs(3600);
/// Timestamps younger than this may not show a later change.
const RACY: Duration = Duration::from_secs(2);
/// Part of every name; another layout takes another number.
const LAYOUT: &str = "1";

/// A folder of earlier results.
#[derive(Clone, Debug)]
pub(super) struct Cache {
    root: PathBuf,
    capacity: u64,
}

/// A file that a result depends on.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Dependency {
    path: PathBuf,
    /// Empty: the file must not exist, for it would be found first.
    hash: String,
    /// Size, inode, change time: equal means unchanged, without reading. `None` where
    /// the file was too young for that.
    stamp: Option<(u64, u64, i64, i64)>,
}

/// Gathers what a result is made of.
#[derive(Clone)]
pub(super) struct Ingredients(blake3::Hasher);

impl Ingredients {
    /// Starts with the kind of result.
    pub fn of(kind: &str) -> Ingredients {
        let mut ingredients = Ingredients(blake3::Hasher::new());
        ingredients.add(kind.as_bytes());
        ingredients
    }

    /// Adds one, its length first so that neighbours cannot run together.
    pub fn add(&mut self, bytes: impl AsRef<[u8]>) {
        let bytes = bytes.as_ref();
        self.0.update(&(bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
    }

    /// Adds a list.
    pub fn add_all<B: AsRef<[u8]>>(&mut self, list: impl IntoIterator<Item = B>) {
        let mut count = 0_u64;
        for item in list {
            self.add(item);
            count += 1;
        }
        self.0.update(&count.to_le_bytes());
    }

    /// The name of what is made of these.
    pub fn key(&self) -> String {
        self.0.finalize().to_hex().to_string()
    }
}

impl Dependency {
    /// The file as it is now; `None` if it cannot be read.
    pub fn on(path: &Path) -> Option<Dependency> {
        let stamp = stamp(path);
        let hash = hash_file(path)?;
        Some(Dependency { path: path.to_owned(), hash, stamp })
    }

    /// A file that is not there now.
    pub fn on_absence(path: &Path) -> Dependency {
        Dependency { path: path.to_owned(), hash: String::new(), stamp: None }
    }

    fn holds(&self) -> bool {
        if self.hash.is_empty() {
            return !self.path.exists();
        }
        let unchanged = self.stamp.is_some() && stamp(&self.path) == self.stamp;
        unchanged || hash_file(&self.path).is_some_and(|hash| hash == self.hash)
    }
}

impl Cache {
    /// The cache of this user, or a temporary one when that cannot be written.
    pub fn open() -> Result<Cache, Fault> {
        let variable = |name| std::env::var_os(name).filter(|value: &OsString| !value.is_empty());
        let chosen = variable("NANOSCOPE_CACHE")
            .map(PathBuf::from)
            .or_else(|| {
                variable("XDG_CACHE_HOME").map(|folder| PathBuf::from(folder).join("nanoscope"))
            })
            .or_else(|| {
                variable("HOME").map(|folder| PathBuf::from(folder).join(".cache/nanoscope"))
            });
        if let Some(cache) = chosen.and_then(|root| Cache::at(&root).ok()) {
            return Ok(cache);
        }
        let fallback = std::env::temp_dir().join(format!("nanoscope-{}", own_user()));
        own_folder(&fallback)
            .and_then(|()| Cache::at(&fallback))
            .map_err(|error| unwritable(&fallback, &error))
    }

    /// The cache in a folder, which is made if need be and tried for writing.
    pub fn at(root: &Path) -> io::Result<Cache> {
        let root = std::path::absolute(root)?.join(LAYOUT);
        fs::create_dir_all(root.join("tmp"))?;
        let cache = Cache { root, capacity: CAPACITY };
        match cache.scratch() {
            Ok(_) => Ok(cache),
            Err(fault) => Err(io::Error::other(fault)),
        }
    }

    /// A fresh folder for files that are being made, on the same file system.
    pub fn scratch(&self) -> Result<Scratch, Fault> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let next = NEXT.fetch_add(1, Ordering::Relaxed);
        // Process ids repeat, across containers that share a home at the same time.
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let name = format!("{}-{next}-{:x}", std::process::id(), now.as_nanos());
        let folder = self.root.join("tmp").join(name);
        fs::create_dir(&folder).map_err(|error| unwritable(&folder, &error))?;
        Ok(Scratch(folder))
    }

    /// An object by its key and file name ending.
    pub fn object(&self, key: &str, ending: &str) -> Option<PathBuf> {
        let path = self.place(key, ending);
        let size = fs::metadata(&path).ok()?.len();
        // An empty object is a write that a full disk or a crash cut off.
        if size == 0 {
            return None;
        }
        touch(&path);
        Some(path)
    }

    /// Moves a finished file in.
    pub fn keep(&self, made: &Path, key: &str, ending: &str) -> Result<PathBuf, Fault> {
        let path = self.place(key, ending);
        let moved =
            path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::rename(made, &path));
        moved.map_err(|error| unwritable(&path, &error))?;
        Ok(path)
    }

    /// A folder of texts by its key, made where it is not there.
    pub fn folder(&self, key: &str, files: &[(&str, &str)]) -> Result<PathBuf, Fault> {
        let folder = self.root.join("texts").join(key);
        let whole = |name: &str, text: &str| {
            fs::metadata(folder.join(name)).is_ok_and(|data| data.len() == text.len() as u64)
        };
        if files.iter().all(|(name, text)| whole(name, text)) {
            return Ok(folder);
        }
        let scratch = self.scratch()?;
        for (name, text) in files {
            // Written beside and renamed, each by itself: another process may be at it.
            let (made, path) = (scratch.file("text"), folder.join(name));
            fs::write(&made, text).map_err(|error| unwritable(&made, &error))?;
            path.parent()
                .map_or(Ok(()), fs::create_dir_all)
                .and_then(|()| fs::rename(&made, &path))
                .map_err(|error| unwritable(&path, &error))?;
        }
        Ok(folder)
    }

    /// A record, if it is there and everything it depends on is as it was.
    pub fn record<R: DeserializeOwned + Record>(&self, key: &str) -> Option<R> {
        let path = self.place(key, "json");
        let record: R = serde_json::from_slice(&fs::read(&path).ok()?).ok()?;
        if !record.dependencies().iter().all(Dependency::holds) {
            return None;
        }
        touch(&path);
        Some(record)
    }

    /// Writes a record.
    pub fn keep_record<R: Serialize>(&self, key: &str, record: &R) -> Result<(), Fault> {
        let text = serde_json::to_vec(record)
            .map_err(|error| Fault::Internal(format!("a record that is no JSON: {error}")))?;
        let scratch = self.scratch()?;
        let made = scratch.file("record");
        fs::write(&made, text).map_err(|error| unwritable(&made, &error))?;
        self.keep(&made, key, "json").map(drop)
    }

    /// Looks after the size, but not more than once in a while: it means reading every
    /// folder.
    pub fn shrink_at_times(&self) {
        let mark = self.root.join("shrunk");
        let last = fs::metadata(&mark).and_then(|data| data.modified());
        if last.is_ok_and(|time| time.elapsed().is_ok_and(|age| age < IN_USE)) {
            return;
        }
        if fs::write(&mark, b"").is_ok() {
            self.shrink();
        }
    }

    /// Removes the oldest results beyond the capacity, and what crashed processes left.
    fn shrink(&self) {
        let now = SystemTime::now();
        let age = |time: SystemTime| now.duration_since(time).unwrap_or_default();
        let mut files = Vec::new();
        let Ok(folders) = fs::read_dir(&self.root) else { return };
        for folder in folders.filter_map(Result::ok) {
            let unfinished = folder.file_name() == "tmp";
            let Ok(entries) = fs::read_dir(folder.path()) else { continue };
            for entry in entries.filter_map(Result::ok) {
                let Ok(data) = entry.metadata() else { continue };
                let age = age(data.modified().unwrap_or(now));
                if !unfinished {
                    files.push((age, data.len(), entry.path()));
                } else if age > 24 * IN_USE {
                    fs::remove_file(entry.path())
                        .or_else(|_| fs::remove_dir_all(entry.path()))
                        .ok();
                }
            }
        }
        let mut total: u64 = files.iter().map(|(_, size, _)| size).sum();
        files.sort_by(|a, b| b.cmp(a));
        for (age, size, path) in files {
            if total <= self.capacity || age < IN_USE {
                break;
            }
            if fs::remove_file(path).is_ok() {
                total -= size;
            }
        }
    }

    fn place(&self, key: &str, ending: &str) -> PathBuf {
        self.root.join(&key[..2]).join(format!("{}.{ending}", &key[2..]))
    }
}

/// A folder that goes, with all that is left in it, when it is no longer needed: a
/// compiler that is killed cleans up nothing.
#[derive(Debug)]
pub(super) struct Scratch(PathBuf);

impl Scratch {
    /// A place in it.
    pub fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// A folder in it.
    pub fn folder(&self, name: &str) -> Result<PathBuf, Fault> {
        let folder = self.0.join(name);
        fs::create_dir(&folder).map_err(|error| unwritable(&folder, &error))?;
        Ok(folder)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).ok();
    }
}

/// A record says what it depends on.
pub(super) trait Record {
    /// The files that were read, or looked for and not found.
    fn dependencies(&self) -> &[Dependency];
}

/// The hash of a file's contents.
pub(super) fn hash_file(path: &Path) -> Option<String> {
    Some(blake3::hash(&fs::read(path).ok()?).to_hex().to_string())
}

fn stamp(path: &Path) -> Option<(u64, u64, i64, i64)> {
    let data = fs::metadata(path).ok()?;
    let changed = Duration::new(data.ctime().try_into().ok()?, data.ctime_nsec().try_into().ok()?);
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).ok()?;
    (now.saturating_sub(changed) > RACY)
        .then(|| (data.size(), data.ino(), data.ctime(), data.ctime_nsec()))
}

/// Marks as used now, for `shrink`. Not worth a fault.
fn touch(path: &Path) {
    if let Ok(file) = fs::File::open(path) {
        file.set_modified(SystemTime::now()).ok();
    }
}

/// Makes a folder where everybody may make some, or accepts it if it is this user's
/// alone: libraries are loaded from it.
fn own_folder(path: &Path) -> io::Result<()> {
    match fs::DirBuilder::new().mode(0o700).create(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        other => return other,
    }
    let data = fs::symlink_metadata(path)?;
    if data.is_dir() && data.uid() == own_user() && data.mode() & 0o022 == 0 {
        return Ok(());
    }
    Err(io::Error::new(io::ErrorKind::PermissionDenied, "others may write it"))
}

fn own_user() -> u32 {
    fs::metadata("/proc/self").map_or(0, |data| data.uid())
}

/// A file of the cache, or beside it, that cannot be written.
pub(super) fn unwritable(path: &Path, error: &io::Error) -> Fault {
    Fault::User(format!(
        "cannot write `{}`: {error}; set NANOSCOPE_CACHE to a folder with room that can be written",
        path.display()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_results_go_first() {
        let root = std::env::temp_dir().join(format!("nanoscope-shrink-{}", std::process::id()));
        let mut cache = Cache::at(&root).unwrap();
        cache.capacity = 250;
        let scratch = cache.scratch().unwrap();
        let made = scratch.file("made");
        let keep = |name: &str, hours: u32| {
            fs::write(&made, [7; 100]).unwrap();
            let path = cache.keep(&made, name, "bc").unwrap();
            let file = fs::File::open(&path).unwrap();
            file.set_modified(SystemTime::now() - hours * IN_USE).unwrap();
            path
        };
        let kept = [keep("aa1", 9), keep("bb2", 7), keep("cc3", 8), keep("cc4", 0)];
        cache.shrink();
        assert_eq!(kept.each_ref().map(|path| path.exists()), [false, true, false, true]);
        // What is in use stays, capacity or not.
        cache.capacity = 0;
        cache.shrink();
        assert_eq!(kept.each_ref().map(|path| path.exists()), [false, false, false, true]);
        drop(scratch);
        fs::remove_dir_all(&root).unwrap();
    }

    #[test]
    fn a_shared_temporary_folder_is_refused() {
        use std::os::unix::fs::PermissionsExt;
        let path = std::env::temp_dir().join(format!("nanoscope-shared-{}", std::process::id()));
        own_folder(&path).unwrap();
        own_folder(&path).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o777)).unwrap();
        assert!(own_folder(&path).is_err());
        fs::remove_dir(&path).unwrap();
    }
}
