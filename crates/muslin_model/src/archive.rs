//! Named arrays of numbers: what a checkpoint holds, without a word about files.
//!
//! Whoever remembers something that influences later bits puts it into an archive and takes it back from
//! one: the state, the tally, the lagged factor of a linear solver. Writers and readers share nothing but
//! names, so that a solver can keep what it likes and no other room has to know. Every read states the length
//! it expects; a damaged or foreign archive is an error and never a panic.

use glam::DVec3;
use std::collections::BTreeMap;

/// One array.
#[derive(Clone, Debug, PartialEq)]
pub enum Array {
    /// Double precision.
    Reals(Vec<f64>),
    /// Single precision.
    Singles(Vec<f32>),
    /// Whole numbers.
    Counts(Vec<u64>),
    /// Flags and text.
    Bytes(Vec<u8>),
}

impl Array {
    /// One word for messages.
    pub fn kind(&self) -> &'static str {
        match self {
            Array::Reals(_) => "reals",
            Array::Singles(_) => "singles",
            Array::Counts(_) => "counts",
            Array::Bytes(_) => "bytes",
        }
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        match self {
            Array::Reals(values) => values.len(),
            Array::Singles(values) => values.len(),
            Array::Counts(values) => values.len(),
            Array::Bytes(values) => values.len(),
        }
    }

    /// Whether it has no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Why an archive does not fit the simulation that reads it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArchiveError {
    /// An array is not there.
    #[error("the array `{name}` is missing")]
    Missing {
        /// Its name.
        name: String,
    },
    /// An array is there with another length or kind.
    #[error("the array `{name}` has {found} {kind} where the simulation needs {expected} {wanted}")]
    Shape {
        /// Its name.
        name: String,
        /// Its kind.
        kind: &'static str,
        /// Elements it has.
        found: usize,
        /// Elements it should have.
        expected: usize,
        /// The kind it should have.
        wanted: &'static str,
    },
    /// An element has a value that no run could have written.
    #[error("element {index} of the array `{name}` is impossible")]
    Value {
        /// The array's name.
        name: String,
        /// The element.
        index: usize,
    },
}

/// A set of named arrays.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Archive {
    /// The arrays by name.
    pub arrays: BTreeMap<String, Array>,
}

macro_rules! typed {
    ($(#[$put_doc:meta])* $put:ident, $refill:ident, $(#[$get_doc:meta])* $get:ident, $any:ident, $variant:ident, $type:ty) => {
        $(#[$put_doc])*
        pub fn $put(&mut self, name: &str, values: impl Into<Vec<$type>>) {
            self.arrays.insert(name.into(), Array::$variant(values.into()));
        }

        /// The same in the memory of the array that has the name already, if there is one.
        pub fn $refill(&mut self, name: &str, values: impl Iterator<Item = $type>) {
            match self.arrays.get_mut(name) {
                Some(Array::$variant(kept)) => {
                    kept.clear();
                    kept.extend(values);
                }
                _ => self.$put(name, values.collect::<Vec<_>>()),
            }
        }

        $(#[$get_doc])*
        pub fn $get(&self, name: &str, expected: usize) -> Result<&[$type], ArchiveError> {
            let values = self.$any(name)?;
            if values.len() == expected { Ok(values) } else { Err(self.misfit(name, expected, stringify!($get))) }
        }

        /// The same of any length.
        pub fn $any(&self, name: &str) -> Result<&[$type], ArchiveError> {
            match self.arrays.get(name) {
                Some(Array::$variant(values)) => Ok(values),
                _ => Err(self.misfit(name, 0, stringify!($get))),
            }
        }
    };
}

impl Archive {
    typed!(
        /// Keeps numbers of double precision.
        put_reals,
        refill_reals,
        /// Numbers of double precision, as many as expected.
        reals,
        all_reals,
        Reals,
        f64
    );
    typed!(
        /// Keeps numbers of single precision.
        put_singles,
        refill_singles,
        /// Numbers of single precision, as many as expected.
        singles,
        all_singles,
        Singles,
        f32
    );
    typed!(
        /// Keeps whole numbers.
        put_counts,
        refill_counts,
        /// Whole numbers, as many as expected.
        counts,
        all_counts,
        Counts,
        u64
    );
    typed!(
        /// Keeps bytes.
        put_bytes,
        refill_bytes,
        /// Bytes, as many as expected.
        bytes,
        all_bytes,
        Bytes,
        u8
    );

    /// Keeps points or vectors.
    pub fn put_points(&mut self, name: &str, points: &[DVec3]) {
        self.put_reals(name, points.iter().flat_map(|p| p.to_array()).collect::<Vec<_>>());
    }

    /// Points or vectors, as many as expected.
    pub fn points(&self, name: &str, expected: usize) -> Result<Vec<DVec3>, ArchiveError> {
        let values = self.reals(name, 3 * expected)?;
        Ok(values.chunks_exact(3).map(DVec3::from_slice).collect())
    }

    /// Whether an array is there.
    pub fn has(&self, name: &str) -> bool {
        self.arrays.contains_key(name)
    }

    fn misfit(&self, name: &str, expected: usize, wanted: &'static str) -> ArchiveError {
        match self.arrays.get(name) {
            None => ArchiveError::Missing { name: name.into() },
            Some(array) => {
                ArchiveError::Shape { name: name.into(), kind: array.kind(), found: array.len(), expected, wanted }
            }
        }
    }
}
