//! The cascade: responses in turn, a search after each, until nothing violates the check.
//!
//! # How
//! Links for pairs that are near when the step begins act once. The others take turns: a link responds, what it
//! moved is searched, and so on for as many rounds as it wants; then the next link gets what is left. Impulses start
//! from where the last response left off. Zones start from what the impulses left, and a contact once found stays in
//! its zone, so that zones grow.
//!
//! After the first search only pairs around what moved are searched again (I 3); the rest is as it was. When that finds nothing
//! any more, *all* pairs are searched on the end that will be kept. Only that search accepts a motion.

use crate::{
    contact::Contact,
    finder::{Finder, FinderError, Found, Near, Scope},
    neighbourhood::Neighbourhood,
    responses::{ContactResponse, Motion, Response, StepFacts, Takes},
};
use glam::DVec3;
use std::{
    sync::Arc,
    time::{Duration, Instant},
};

/// Violations per vertex that can move beyond which a motion is no motion of cloth [-]. Folded cloth has a few; where
/// a step went to pieces there are hundreds, and a shorter step is the better answer.
const MOST_VIOLATIONS: usize = 16;

/// Rounds of impulses that act on the pairs alone that stand for a contact, if there are any.
const CHOOSY_ROUNDS: usize = 3;

/// The name of the round before any response.
pub const FIRST: &str = "search";

/// The links, with what they keep from call to call.
#[derive(Default)]
pub struct Cascade {
    links: Vec<Box<dyn ContactResponse>>,
    neighbourhood: Option<Arc<Neighbourhood>>,
    wanted: Vec<DVec3>,
    wanted_velocities: Vec<DVec3>,
    searched: Vec<DVec3>,
    moved: Vec<u32>,
}

/// The motion that a cascade corrects.
pub struct Candidate<'a> {
    /// Positions at the start of the step [m].
    pub start: &'a [DVec3],
    /// Positions at its end [m].
    pub end: &'a mut [DVec3],
    /// Velocities at its end [m/s].
    pub velocities: &'a mut [DVec3],
    /// Inverse masses [1/kg]; 0 for what the scene moves.
    pub inverse_mass: &'a [f64],
    /// Facts of the step.
    pub step: StepFacts<'a>,
}

/// One round: a response and the search of what it moved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Round {
    /// The link that responded.
    pub link: &'static str,
    /// Contacts that it was given.
    pub contacts: usize,
    /// How it went.
    pub response: Response,
    /// How long it took; never part of a result.
    pub cost: Duration,
    /// Which pairs were searched afterwards.
    pub scope: Scope,
    /// Box tests of that search [-].
    pub tests: u64,
    /// Pairs whose boxes overlap, which the narrow phase tested [-].
    pub candidates: u64,
    /// Violations that it found.
    pub violations: usize,
}

/// How a cascade ended.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Its rounds. The first is the search of the motion itself, with nobody responding ([`FIRST`]).
    pub rounds: Vec<Round>,
    /// What still violates the check, with the fraction of the step at which it does; empty if all is resolved.
    pub violations: Vec<(Near, f64)>,
    /// Contacts of the zones.
    pub contacts: Vec<Contact>,
    /// Zones that turned so far in their last response that the motion is not to be trusted, whatever its chords do.
    pub turned_too_far: usize,
}

impl Outcome {
    /// Whether the motion may be taken.
    pub fn is_resolved(&self) -> bool {
        self.violations.is_empty() && self.turned_too_far == 0
    }
}

impl Cascade {
    /// A cascade of links.
    pub fn new(links: Vec<Box<dyn ContactResponse>>) -> Self {
        Cascade { links, ..Cascade::default() }
    }

    /// The same where impulses act first, and responses to what is near always, on the pairs that stand for a contact.
    pub fn on(self, neighbourhood: &Arc<Neighbourhood>) -> Self {
        Cascade { neighbourhood: Some(neighbourhood.clone()), ..self }
    }

    /// The names of its links.
    pub fn names(&self) -> Vec<&'static str> {
        self.links.iter().map(|link| link.name()).collect()
    }

    /// Whether it acts on pairs that are near when the step begins, whatever the motion does.
    pub fn repels(&self) -> bool {
        self.links.iter().any(|link| link.takes() == Takes::Proximity)
    }

    /// Corrects a motion of which all pairs have just been found, or, if no link wants to know what is near, the violations. `search` is asked for the pairs of each new end.
    pub fn resolve(
        &mut self,
        candidate: &mut Candidate,
        found: &mut Found,
        search: &mut Searcher<'_>,
    ) -> Result<Outcome, FinderError> {
        let mut outcome = Outcome::default();
        self.searched.clear();
        self.searched.extend_from_slice(candidate.end);
        let near_at_start = found.near.iter().filter(|near| near.distance(candidate.start) < near.range);
        let contact = |near: &Near| match &self.neighbourhood {
            Some(neighbourhood) => {
                neighbourhood.standing(&Near { time: 0.0, ..*near }, candidate.start, candidate.start)
            }
            None => near.contact(candidate.start, candidate.end, 0.0),
        };
        let near_at_start: Vec<Contact> = near_at_start.filter_map(contact).collect();
        let mut first = Round::of(FIRST, 0, Response::default(), Duration::ZERO);
        first.searched(found);
        outcome.rounds.push(first);
        for link in 0..self.links.len() {
            if self.links[link].takes() == Takes::Proximity {
                self.rebase(candidate);
                let mut round = self.respond(link, candidate, &near_at_start);
                self.search(candidate, found, &mut round, search)?;
                outcome.rounds.push(round);
            }
        }
        outcome.violations = found.violations(candidate.start, candidate.end);
        outcome.rounds.iter_mut().for_each(|round| round.violations = outcome.violations.len());
        let links = (0..self.links.len()).filter(|&link| self.links[link].takes() != Takes::Proximity);
        for link in links.collect::<Vec<_>>() {
            if outcome.violations.is_empty() || self.take_turn(link, candidate, found, &mut outcome, search)? {
                break;
            }
        }
        if outcome.violations.is_empty() && outcome.rounds.last().is_some_and(|round| round.scope == Scope::Around) {
            // The bits that are kept, against everything.
            *found = search(candidate.end, Request::All { reach: found.reach })?;
            outcome.violations = found.violations(candidate.start, candidate.end);
        }
        Ok(outcome)
    }

    /// Rounds of one link; says whether no other need try.
    fn take_turn(
        &mut self,
        link: usize,
        candidate: &mut Candidate,
        found: &mut Found,
        outcome: &mut Outcome,
        search: &mut Searcher<'_>,
    ) -> Result<bool, FinderError> {
        let takes = self.links[link].takes();
        if takes == Takes::Violations || outcome.contacts.is_empty() {
            // Zones after zones begin where the first ones did.
            self.rebase(candidate);
        }
        let movable = candidate.inverse_mass.iter().filter(|inverse| **inverse > 0.0).count();
        for round in 0..self.links[link].most_rounds() {
            if outcome.violations.is_empty() || outcome.violations.len() > MOST_VIOLATIONS * movable {
                return Ok(true);
            }
            let mut fresh = Vec::with_capacity(outcome.violations.len());
            let chosen = self.neighbourhood.as_ref().filter(|_| takes == Takes::Violations && round < CHOOSY_ROUNDS);
            if let Some(neighbourhood) = chosen {
                let pairs = outcome.violations.iter().map(|(pair, time)| Near { time: *time, ..*pair });
                fresh.extend(pairs.filter_map(|pair| neighbourhood.standing(&pair, candidate.start, candidate.end)));
            }
            if fresh.is_empty() {
                for (pair, time) in &outcome.violations {
                    fresh.extend(pair.contact(candidate.start, candidate.end, *time));
                }
            }
            if fresh.is_empty() {
                return Ok(true);
            }
            let contacts = if takes == Takes::Accumulated {
                outcome.contacts.append(&mut fresh);
                &outcome.contacts
            } else {
                &fresh
            };
            let mut round = self.respond(link, candidate, contacts);
            self.search(candidate, found, &mut round, search)?;
            outcome.violations = found.violations(candidate.start, candidate.end);
            round.violations = outcome.violations.len();
            outcome.turned_too_far = round.response.turned_too_far;
            outcome.rounds.push(round);
            if outcome.turned_too_far > 0 {
                return Ok(true);
            }
            if outcome.violations.is_empty() {
                break;
            }
        }
        Ok(false)
    }

    /// What responses want from now on is what there is now.
    fn rebase(&mut self, candidate: &Candidate) {
        self.wanted.clear();
        self.wanted.extend_from_slice(candidate.end);
        self.wanted_velocities.clear();
        self.wanted_velocities.extend_from_slice(candidate.velocities);
    }

    fn respond(&mut self, link: usize, candidate: &mut Candidate, contacts: &[Contact]) -> Round {
        let begin = Instant::now();
        let mut motion = Motion {
            start: candidate.start,
            wanted: &self.wanted,
            wanted_velocities: &self.wanted_velocities,
            end: candidate.end,
            velocities: candidate.velocities,
            inverse_mass: candidate.inverse_mass,
            step: candidate.step,
        };
        let response = self.links[link].respond(&mut motion, contacts);
        Round::of(self.links[link].name(), contacts.len(), response, begin.elapsed())
    }

    /// Searches around what moved since the last search.
    fn search(
        &mut self,
        candidate: &Candidate,
        found: &mut Found,
        round: &mut Round,
        search: &mut Searcher<'_>,
    ) -> Result<(), FinderError> {
        self.moved.clear();
        for (v, (now, then)) in candidate.end.iter().zip(&mut self.searched).enumerate() {
            if now != then {
                self.moved.push(v as u32);
                *then = *now;
            }
        }
        let before = std::mem::take(found);
        *found = search(candidate.end, Request::Around { moved: &self.moved, before })?;
        round.searched(found);
        Ok(())
    }
}

impl Round {
    fn of(link: &'static str, contacts: usize, response: Response, cost: Duration) -> Self {
        Round { link, contacts, response, cost, scope: Scope::All, tests: 0, candidates: 0, violations: 0 }
    }

    /// Takes down what a search took.
    fn searched(&mut self, found: &Found) {
        self.scope = found.scope;
        self.tests = found.counts.broad_phase.tests;
        self.candidates = found.counts.vertex_face_candidates + found.counts.edge_edge_candidates;
    }
}

/// Finds the pairs of the motion to an end [m].
pub type Searcher<'s> = dyn FnMut(&[DVec3], Request) -> Result<Found, FinderError> + 's;

/// What a search is asked for.
pub enum Request<'a> {
    /// All pairs that come nearer than a reach.
    All {
        /// [m].
        reach: f64,
    },
    /// All pairs, where only some vertices have other ends than those at which the pairs before were found.
    Around {
        /// The vertices, ascending.
        moved: &'a [u32],
        /// What was found.
        before: Found,
    },
}

impl Request<'_> {
    /// Has it done by a finder.
    pub fn fulfil(self, finder: &mut Finder, start: &[DVec3], end: &[DVec3]) -> Result<Found, FinderError> {
        match self {
            Request::All { reach } => finder.find_within(start, end, reach),
            Request::Around { moved, before } => finder.find_again(start, end, moved, before),
        }
    }
}
