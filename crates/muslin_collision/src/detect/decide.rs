//! The test of one candidate.

use super::{DetectSettings, Impact};
use crate::narrow_phase::minimum_separation;
use crate::{PairKind, Surface, Sweep};

/// The motion whose pairs are decided, and what counts as meeting.
#[derive(Clone, Copy)]
pub(super) struct Question<'a> {
    pub surface: &'a Surface,
    pub sweep: &'a Sweep<'a>,
    pub settings: &'a DetectSettings<'a>,
}

impl Question<'_> {
    /// When a pair meets, if it does.
    #[inline]
    pub fn impact(&self, kind: PairKind, [a, b]: [u32; 2]) -> Option<Impact> {
        let vertices = self.surface.pair_vertices(kind, [a, b]);
        let thickness = self.settings.thickness;
        let separation = match self.settings.rest {
            Some(rest) if thickness > 0.0 => minimum_separation(kind, vertices.map(|v| rest[v as usize]), thickness),
            _ => thickness,
        };
        let time = self.settings.method.time_of_impact(kind, &self.sweep.query(vertices), separation)?;
        Some(Impact { a, b, time })
    }
}
