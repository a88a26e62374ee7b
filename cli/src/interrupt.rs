//! Interrupts: the first one asks for an end, the second makes it.

use crate::ending::Fault;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A flag that the first interrupt sets, so that what was found until then is still
/// reported. The second ends the process at once, as impatience deserves.
pub fn interruptible() -> Result<Arc<AtomicBool>, Fault> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        flag::register_conditional_shutdown(signal, 128 + signal, Arc::clone(&stop))
            .and_then(|_| flag::register(signal, Arc::clone(&stop)))
            .map_err(|error| Fault::Internal(format!("cannot watch signals: {error}")))?;
    }
    Ok(stop)
}
