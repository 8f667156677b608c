//! A proof as it is written down: the steps of a recursion in pre-order, a few bytes each.
//!
//! A case is either split (the faces of one body, or the time) into two, the first of which follows
//! at once, or closed by a direction. So whatever the steps are, a stream that ends exactly when
//! nothing is left open covers everything.

use crate::gap::{Case, Pair, Track};
use crate::route::Span;
use glam::DVec3;
use std::rc::Rc;

/// One step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step {
    /// Split the faces of the resting body.
    Rest,
    /// Split the faces of the moving body.
    Mover,
    /// Split the time.
    Time,
    /// This direction keeps apart what is left.
    Apart(DVec3),
    /// A cylinder about the axis of the motion keeps apart what is left.
    Round,
}

const REST: u8 = 0;
const MOVER: u8 = 1;
const TIME: u8 = 2;
/// The direction of the step before that had one.
const AGAIN: u8 = 3;
/// Directions in whole numbers of 16 bits, in f32 and in f64.
const WHOLE: u8 = 4;
const SINGLE: u8 = 5;
const DOUBLE: u8 = 6;
const ROUND: u8 = 7;
/// The length of directions in whole numbers.
const WHOLE_LENGTH: f64 = 32_767.0;

/// How finely a direction is written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fineness {
    /// 16 bits for each coordinate.
    Whole,
    /// 32 bits.
    Single,
    /// 64 bits: as it is.
    Double,
}

impl Fineness {
    /// The coarsest first.
    pub const ALL: [Self; 3] = [Self::Whole, Self::Single, Self::Double];

    /// A direction as it is read back.
    pub fn round(self, direction: DVec3) -> DVec3 {
        match self {
            Self::Whole => (direction * (WHOLE_LENGTH / direction.abs().max_element())).round(),
            Self::Single => direction.as_vec3().as_dvec3(),
            Self::Double => direction,
        }
    }
}

/// Steps in the making.
#[derive(Clone, Debug, Default)]
pub struct Writer {
    bytes: Vec<u8>,
    last: Option<DVec3>,
    directions: u64,
}

impl Writer {
    /// Adds a step. A direction must be one that [`Fineness::round`] made.
    pub fn push(&mut self, step: Step, fineness: Fineness) {
        match step {
            Step::Rest => self.bytes.push(REST),
            Step::Mover => self.bytes.push(MOVER),
            Step::Time => self.bytes.push(TIME),
            Step::Round => self.bytes.push(ROUND),
            Step::Apart(direction) => self.direction(direction, fineness),
        }
    }

    fn direction(&mut self, direction: DVec3, fineness: Fineness) {
        self.directions += 1;
        if self.last == Some(direction) {
            return self.bytes.push(AGAIN);
        }
        self.last = Some(direction);
        let numbers = direction.to_array();
        match fineness {
            Fineness::Whole => {
                self.bytes.push(WHOLE);
                self.bytes.extend(numbers.iter().flat_map(|x| (*x as i16).to_le_bytes()));
            }
            Fineness::Single => {
                self.bytes.push(SINGLE);
                self.bytes.extend(numbers.iter().flat_map(|x| (*x as f32).to_le_bytes()));
            }
            Fineness::Double => {
                self.bytes.push(DOUBLE);
                self.bytes.extend(numbers.iter().flat_map(|x| x.to_le_bytes()));
            }
        }
    }

    /// The last direction that was written.
    pub fn last(&self) -> Option<DVec3> {
        self.last
    }

    /// How many directions there are.
    pub fn directions(&self) -> u64 {
        self.directions
    }

    /// All steps.
    pub fn finish(self) -> Vec<u8> {
        self.bytes
    }
}

/// What is wrong with some steps.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum StepFault {
    /// The stream ends while something is open.
    #[error("the steps end at byte {0} although something is still open")]
    Short(usize),
    /// The stream goes on although nothing is open.
    #[error("bytes are left over from byte {0} on, although nothing is open")]
    Long(usize),
    /// A number that stands for no step.
    #[error("byte {0} is {1}, which is no step")]
    Unknown(usize, u8),
    /// What cannot be split further is.
    #[error("the step at byte {0} splits what cannot be split")]
    Indivisible(usize),
    /// A direction does not do what it should.
    #[error("the direction at byte {at} keeps the faces {gap:e} apart; {wanted:e} is needed")]
    TooClose {
        /// Where it is.
        at: usize,
        /// What it proves.
        gap: f64,
        /// What it should.
        wanted: f64,
    },
}

/// A stream that is read.
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    last: Option<DVec3>,
}

impl Reader<'_> {
    fn next(&mut self) -> Result<Step, StepFault> {
        let at = self.at;
        let code = *self.bytes.get(at).ok_or(StepFault::Short(at))?;
        self.at += 1;
        let direction = match code {
            REST => return Ok(Step::Rest),
            MOVER => return Ok(Step::Mover),
            TIME => return Ok(Step::Time),
            ROUND => return Ok(Step::Round),
            AGAIN => self.last.ok_or(StepFault::Unknown(at, code))?,
            WHOLE => self.numbers(|bytes| f64::from(i16::from_le_bytes(bytes)))?,
            SINGLE => self.numbers(|bytes| f64::from(f32::from_le_bytes(bytes)))?,
            DOUBLE => self.numbers(f64::from_le_bytes)?,
            _ => return Err(StepFault::Unknown(at, code)),
        };
        self.last = Some(direction);
        Ok(Step::Apart(direction))
    }

    fn numbers<const N: usize>(
        &mut self,
        number: impl Fn([u8; N]) -> f64,
    ) -> Result<DVec3, StepFault> {
        let mut numbers = [0.0; 3];
        for x in &mut numbers {
            let rest = &self.bytes[self.at..];
            *x = number(*rest.first_chunk().ok_or(StepFault::Short(self.bytes.len()))?);
            self.at += N;
        }
        Ok(numbers.into())
    }
}

impl Pair<'_> {
    /// Follows steps: whether they prove that the two never come nearer than `distance`, and do not
    /// touch, during a span. The number of directions.
    pub fn follow(&self, steps: &[u8], span: Span, distance: f64) -> Result<u64, StepFault> {
        let mut reader = Reader { bytes: steps, at: 0, last: None };
        let track = Rc::new(Track::new(self.path, span));
        let mut open = vec![Case { rest: self.rest.all(), mover: self.mover.all(), track }];
        let enough = distance.max(f64::MIN_POSITIVE);
        let mut directions = 0;
        while let Some(case) = open.pop() {
            let at = reader.at;
            let gap = match reader.next()? {
                Step::Apart(direction) => self.gap(&case, direction, enough),
                Step::Round => self.gap_around(&case, enough),
                split => {
                    let halves = self.split(&case, split);
                    let [first, second] = halves.ok_or(StepFault::Indivisible(at))?;
                    open.extend([second, first]);
                    continue;
                }
            };
            if !(gap >= distance && gap > 0.0) {
                return Err(StepFault::TooClose { at, gap, wanted: distance });
            }
            directions += 1;
        }
        if reader.at < steps.len() { Err(StepFault::Long(reader.at)) } else { Ok(directions) }
    }

    /// Both parts of a case; none if it cannot be split like that, or the step is no split.
    pub fn split<'c>(&'c self, case: &Case<'c>, step: Step) -> Option<[Case<'c>; 2]> {
        match step {
            Step::Rest => Some(case.rest.split()?.map(|rest| Case { rest, ..case.clone() })),
            Step::Mover => Some(case.mover.split()?.map(|mover| Case { mover, ..case.clone() })),
            Step::Time => Some(case.track.span().split()?.map(|span| {
                let track = Rc::new(Track::new(self.path, span));
                Case { track, ..case.clone() }
            })),
            Step::Apart(_) | Step::Round => None,
        }
    }
}
