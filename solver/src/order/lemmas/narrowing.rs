//! Lemmas about conversions to narrower formats.

use super::{Lemma, directed};
use nanoscope_ieee::Operation;

pub(super) const LEMMAS: &[Lemma] = &[Lemma {
    name: "directed rounding to a narrower format",
    statement: "to_fp RTN a <= a <= to_fp RTP a, compared in the wider format",
    operations: &[Operation::Convert],
    say: |say, _, i| {
        let format = say.t.format(i.args[0]);
        if format.holds(say.t.format(i.result)) {
            let widened = say.widened(i.result, format);
            directed(say, i, i.args[0], widened);
        }
    },
}];
