//! Where floats lie, as `ranges` knows: what holds of an operation whenever control comes to it
//! holds on the ways that come by. Inside of a branch whose sides are joined it would not hold of
//! the other side, so nothing is said there.

use super::Extraction;
use crate::shadow::At;
use nanoscope_errors::{Enclosure, Graph, NodeId, Piece, enclosures};
use std::collections::BTreeMap;

/// Values of one way of which something is known, at most.
const ENCLOSED: usize = 20_000;

/// What is cut off a range that is worth knowing, of its width.
const WORTH: f64 = 0.01;

impl Extraction<'_> {
    /// Writes down what is known of an operation's operands and of its result.
    pub(super) fn enclose(
        &mut self,
        at: At,
        operands: impl Iterator<Item = NodeId>,
        result: Option<NodeId>,
    ) {
        if self.beside > 0 || self.enclosed.len() >= ENCLOSED {
            return;
        }
        let Some(known) = self.sites.at(at).and_then(|site| self.known?.get(&site)) else { return };
        let operands: Vec<NodeId> = operands.collect();
        let fit = operands.len() == known.operands.len();
        let of_operands = operands.into_iter().zip(&known.operands).filter(|_| fit);
        for (node, ends) in of_operands.chain(result.map(|node| (node, &known.result))) {
            if let Some((low, high)) = *ends {
                self.enclosed.push(Enclosure { node, low, high });
            }
        }
    }
}

/// Leaves of what is known what the graph itself does not tell; how many values that concerns.
pub(super) fn sharpen(graph: &Graph, pieces: &mut [Piece]) -> usize {
    let mut nodes: Vec<NodeId> =
        pieces.iter().flat_map(|piece| piece.enclosed.iter().map(|known| known.node)).collect();
    nodes.sort_unstable();
    nodes.dedup();
    if nodes.is_empty() {
        return 0;
    }
    let told = enclosures(graph, &nodes);
    let mut count = 0;
    for piece in pieces {
        let mut least: BTreeMap<NodeId, (f64, f64)> = BTreeMap::new();
        for Enclosure { node, low, high } in piece.enclosed.drain(..) {
            let ends = least.entry(node).or_insert((low, high));
            *ends = (ends.0.max(low), ends.1.min(high));
        }
        let news = least.into_iter().filter(|(node, (low, high))| {
            let told = told[nodes.binary_search(node).expect("it was asked for")];
            let width = if (told.hi - told.lo).is_finite() { told.hi - told.lo } else { 0.0 };
            *low > told.lo + WORTH * width || *high < told.hi - WORTH * width
        });
        piece.enclosed = news.map(|(node, (low, high))| Enclosure { node, low, high }).collect();
        count += piece.enclosed.len();
    }
    count
}
