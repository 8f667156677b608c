//! What a user promises about the motion of a body to come (H93), from which pruners may conclude when
//! it can meet others at the earliest.

use impinge_geom::Point;

/// How a body may move from step to step: what is known when its motion itself is not.
///
/// The way of a step leads from where the middle of the body was in the step before to where it is. The
/// middle is that of its bounding sphere, so that turning about it is free. Each way differs from the
/// one before by at most `acceleration`; with a push the difference never points against that
/// direction. For a body that moves smoothly with an acceleration of up to `a` per time and time, and
/// steps of `dt`, that is `a · dt²`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Promise {
    acceleration: f64,
    push: Option<Point>,
}

/// Why something cannot be promised.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum PromiseError {
    /// The bound is no length.
    #[error("an acceleration of at most {0}; a finite number, 0 or more, is needed")]
    Acceleration(f64),
    /// The direction is none.
    #[error("a push along {0:?}; a finite direction that is not zero is needed")]
    Push(Point),
}

impl Promise {
    /// Ways differ by at most so much from one step to the next.
    pub fn new(acceleration: f64) -> Result<Self, PromiseError> {
        let legal = acceleration.is_finite() && acceleration >= 0.0;
        let made = Self { acceleration, push: None };
        if legal { Ok(made) } else { Err(PromiseError::Acceleration(acceleration)) }
    }

    /// The same, and what changes the way never points against this direction, which may be of any
    /// length: the body turns towards it, or is pushed away from a wall.
    pub fn pushed(self, direction: Point) -> Result<Self, PromiseError> {
        let scale = direction.iter().fold(0.0f64, |most, x| most.max(x.abs()));
        if !(scale.is_finite() && scale > 0.0) || direction.iter().any(|x| x.is_nan()) {
            return Err(PromiseError::Push(direction));
        }
        // Scaled first, so that its length is a number whatever its parts are.
        let scaled = direction.map(|x| x / scale);
        let length = scaled.iter().map(|x| x * x).sum::<f64>().sqrt();
        Ok(Self { push: Some(scaled.map(|x| x / length)), ..self })
    }

    /// The most by which the way of a step differs from the one before.
    pub fn acceleration(&self) -> f64 {
        self.acceleration
    }

    /// The direction that no such difference points against, of unit length.
    pub fn push(&self) -> Option<Point> {
        self.push
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_meaning_is_refused() {
        for wrong in [-1.0, f64::NAN, f64::INFINITY] {
            assert!(Promise::new(wrong).is_err());
        }
        let promise = Promise::new(0.5).unwrap();
        for wrong in [[0.0; 3], [f64::NAN, 1.0, 0.0], [f64::INFINITY, 0.0, 0.0]] {
            assert!(promise.pushed(wrong).is_err(), "{wrong:?}");
        }
        let pushed = promise.pushed([0.0, -3e300, 4e300]).unwrap();
        assert_eq!(pushed.push(), Some([0.0, -0.6, 0.8]));
        assert_eq!((pushed.acceleration(), promise.push()), (0.5, None));
    }
}
