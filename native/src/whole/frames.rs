//! From addresses in an executable to functions and places in the source.

use nanoscope_program::Fault;
use std::path::Path;

/// A call on the stack; calls that were inlined are calls too.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// The function, as the source names it; its symbol where that is not known.
    pub function: String,
    /// The file, as the compiler was given it; empty where it is not known.
    pub file: String,
    /// The line, from 1; 0 where it is not known.
    pub line: u32,
    /// The column, from 1; 0 where it is not known.
    pub column: u32,
}

/// The debug information of an executable.
pub(super) struct Places {
    lines: addr2line::Loader,
}

impl Places {
    pub fn read(executable: &Path) -> Result<Places, Fault> {
        let lines = addr2line::Loader::new(executable).map_err(|error| {
            Fault::Internal(format!("cannot read {}: {error}", executable.display()))
        })?;
        Ok(Places { lines })
    }

    /// The calls that addresses stand for, innermost first. What has no place in the source
    /// (the runtime, the C library) is left out.
    pub fn stack(&self, addresses: &[u64]) -> Vec<Frame> {
        let mut list = Vec::new();
        for &address in addresses {
            let Ok(mut frames) = self.lines.find_frames(address) else { continue };
            while let Ok(Some(frame)) = frames.next() {
                let Some(location) = frame.location else { continue };
                let (Some(file), Some(line)) = (location.file, location.line) else { continue };
                let function = frame.function.as_ref().and_then(|name| name.raw_name().ok());
                list.push(Frame {
                    function: function.unwrap_or_default().into_owned(),
                    file: file.to_owned(),
                    line,
                    column: location.column.unwrap_or(0),
                });
            }
        }
        list
    }
}
