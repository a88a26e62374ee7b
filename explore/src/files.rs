//! Files of the machine that programs read: as they are when they are first asked for.

use crate::library::Unread;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Larger files are not followed.
const LARGEST: u64 = 1 << 20;

/// The files that some path has asked for.
#[derive(Debug, Default)]
pub struct Files {
    known: Vec<File>,
}

/// A file by its name, and what it holds.
#[derive(Debug)]
struct File {
    name: Vec<u8>,
    bytes: Result<Vec<u8>, Unread>,
}

impl Files {
    /// A file by its name: its number.
    pub fn find(&mut self, name: &[u8]) -> Result<usize, Unread> {
        let known = self.known.iter().position(|file| file.name == name);
        let number = known.unwrap_or_else(|| {
            let bytes = read(Path::new(OsStr::from_bytes(name)));
            self.known.push(File { name: name.to_vec(), bytes });
            self.known.len() - 1
        });
        self.known[number].bytes.as_ref().map(|_| number).map_err(|why| *why)
    }

    /// What a file holds.
    pub fn bytes(&self, number: usize) -> &[u8] {
        self.known.get(number).and_then(|file| file.bytes.as_deref().ok()).unwrap_or_default()
    }

    /// What is taken for granted of them, as sentences.
    pub fn told(&self) -> Vec<String> {
        let told = self.known.iter().filter_map(|file| {
            let name = String::from_utf8_lossy(&file.name);
            match &file.bytes {
                Ok(_) => Some(format!("the file `{name}` holds what it holds now")),
                Err(Unread::Absent) => Some(format!("there is no file `{name}`, as now")),
                Err(Unread::Unfollowed) => None,
            }
        });
        told.collect()
    }
}

fn read(path: &Path) -> Result<Vec<u8>, Unread> {
    let Ok(data) = std::fs::metadata(path) else { return Err(Unread::Absent) };
    // What a device or a process says changes from one reading to the next.
    let changes = ["/proc", "/sys", "/dev"].iter().any(|folder| path.starts_with(folder));
    if !data.is_file() || data.len() > LARGEST || changes {
        return Err(Unread::Unfollowed);
    }
    std::fs::read(path).map_err(|_| Unread::Unfollowed)
}
