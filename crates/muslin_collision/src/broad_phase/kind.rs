//! The broad phases by name.

use super::{BroadPhase, BruteForce, Grid, Octree, SpatialHash, Tree, UvTree, VirtualSubdivision};
use std::fmt;
use std::str::FromStr;

/// Which broad phase a scene file or a command asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum BroadPhaseKind {
    /// Tree of boxes (C1), the fastest.
    #[default]
    Tree,
    /// Every pair, tested one by one: the slow twin.
    BruteForce,
    /// Tree of boxes over zones of the cloth with normal cones (C2).
    UvTree,
    /// Uniform grid with control bits (C3).
    Grid,
    /// Uniform grid of small cells with large triangles virtually subdivided (C4).
    VirtualSubdivision,
    /// Octree grid made in one pass (C5).
    Octree,
    /// Octree grid of fewest tests, with a changing number of levels (C5).
    OctreeTwoStage,
    /// Spatial hash that searches again only around what moved (C6).
    SpatialHash,
}

impl BroadPhaseKind {
    /// All of them.
    pub const ALL: [BroadPhaseKind; 8] = [
        Self::Tree,
        Self::UvTree,
        Self::Grid,
        Self::VirtualSubdivision,
        Self::Octree,
        Self::OctreeTwoStage,
        Self::SpatialHash,
        Self::BruteForce,
    ];

    /// Its name in scene files, commands and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tree => "tree",
            Self::BruteForce => "brute-force",
            Self::UvTree => "uv-tree",
            Self::Grid => "grid",
            Self::VirtualSubdivision => "virtual-subdivision",
            Self::Octree => "octree",
            Self::OctreeTwoStage => "octree-two-stage",
            Self::SpatialHash => "spatial-hash",
        }
    }

    /// A fresh one.
    pub fn build(self) -> Box<dyn BroadPhase> {
        match self {
            Self::Tree => Box::<Tree>::default(),
            Self::BruteForce => Box::<BruteForce>::default(),
            Self::UvTree => Box::<UvTree>::default(),
            Self::Grid => Box::<Grid>::default(),
            Self::VirtualSubdivision => Box::<VirtualSubdivision>::default(),
            Self::Octree => Box::new(Octree::one_stage()),
            Self::OctreeTwoStage => Box::new(Octree::two_stage()),
            Self::SpatialHash => Box::<SpatialHash>::default(),
        }
    }
}

impl fmt::Display for BroadPhaseKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that no broad phase has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no broad phase `{name}`; there are: {known}")]
pub struct UnknownBroadPhase {
    name: String,
    known: String,
}

impl FromStr for BroadPhaseKind {
    type Err = UnknownBroadPhase;

    fn from_str(name: &str) -> Result<Self, UnknownBroadPhase> {
        Self::ALL
            .into_iter()
            .find(|kind| kind.name() == name)
            .ok_or_else(|| UnknownBroadPhase { name: name.to_owned(), known: Self::ALL.map(Self::name).join(", ") })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_found_by_its_name_and_builds_what_has_it() {
        for kind in BroadPhaseKind::ALL {
            assert_eq!(kind.name().parse(), Ok(kind));
            assert_eq!(kind.build().name(), kind.name());
        }
        let error = "treee".parse::<BroadPhaseKind>().unwrap_err();
        assert!(error.to_string().contains("grid"), "{error}");
    }
}
