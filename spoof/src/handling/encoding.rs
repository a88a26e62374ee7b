//! How what JSON has no form for is written to it.

/// Maps whose keys are no words, as lists of pairs.
pub mod pairs {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use std::collections::BTreeMap;

    pub fn serialize<K: Serialize, V: Serialize, S: Serializer>(
        map: &BTreeMap<K, V>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        to.collect_seq(map)
    }

    pub fn deserialize<'de, K, V, D>(from: D) -> Result<BTreeMap<K, V>, D::Error>
    where
        K: Deserialize<'de> + Ord,
        V: Deserialize<'de>,
        D: Deserializer<'de>,
    {
        Ok(Vec::<(K, V)>::deserialize(from)?.into_iter().collect())
    }
}

/// Values of more bits than JSON's numbers have, in two halves.
pub mod wide {
    use serde::{Deserialize, Deserializer, Serializer};

    type Values = Vec<(usize, usize, u128)>;

    pub fn serialize<S: Serializer>(values: &Values, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(values.iter().map(|(a, e, bits)| (a, e, (bits >> 64) as u64, *bits as u64)))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Values, D::Error> {
        let read = Vec::<(usize, usize, u64, u64)>::deserialize(from)?;
        let whole = |high: u64, low: u64| u128::from(high) << 64 | u128::from(low);
        Ok(read.into_iter().map(|(a, e, high, low)| (a, e, whole(high, low))).collect())
    }
}
