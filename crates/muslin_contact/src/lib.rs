//! What happens where cloth meets itself or something else.
//!
//! A [`Finder`] lists the pairs that come near each other in a motion; a [`Contact`] is such a pair with its
//! stencil: four vertices, signed weights, a normal. [`Gaps`] says how near is near, and how near is too near.
//! A [`responses::ContactResponse`] moves the end of a motion so that its contacts keep their distance; a [`Cascade`]
//! lets several do so in turn until nothing is left. This crate knows positions and masses, no force and no scheme.

mod approach;
pub mod cascade;
pub mod contact;
pub mod finder;
pub mod friction;
pub mod gaps;
mod neighbourhood;
mod normals;
pub mod responses;
pub mod search;
mod turning;
pub mod zones;

pub use cascade::{Candidate, Cascade, Outcome, Request, Round, Searcher};
pub use contact::Contact;
pub use contact::PairKey;
pub use finder::{Finder, FinderError, Found, Near, Scope};
pub use friction::{BodyFriction, Friction, FrictionLaws, anchor_of};
pub use gaps::{CHECK, Gaps, TARGET};
pub use neighbourhood::{Neighbourhood, Past};
pub use normals::Normals;
pub use search::SearchSettings;
pub use turning::Turning;
