//! Questions about surfaces as values: a ray, a point with the distance that matters. What makes no
//! sense is refused here, so that answers need no errors.

use crate::{COORDINATE_MAX, COORDINATE_MIN, Point, flush};

/// Why some numbers are no question.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum AskError {
    /// NaN or infinite.
    #[error("a question needs finite coordinates, found {0}")]
    NotFinite(f64),
    /// Beyond what exact tests can handle.
    #[error("the coordinate {0:e} is too large; at most 2e90 is possible")]
    TooLarge(f64),
    /// A ray goes nowhere.
    #[error("the direction of the ray is zero; one of any other length is needed")]
    NoDirection,
    /// NaN or negative; infinity is legal.
    #[error("the distance is {0}; a number that is not negative is needed")]
    BadDistance(f64),
}

/// A half-line, or the beginning of one: the points `origin + t · direction`, `t ≥ 0`, up to a length.
///
/// It is what the numbers say: `origin + t · direction` without rounding. (Of the direction, parts
/// below 2⁻³⁰⁰ of the largest count as zero.)
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    origin: Point,
    /// Times a power of two, so that the largest part is between 1 and 2.
    direction: Point,
    length: f64,
}

impl Ray {
    /// From a point, in a direction of any length, without end.
    pub fn new(origin: Point, direction: Point) -> Result<Self, AskError> {
        let origin = checked(origin)?;
        if let Some(&bad) = direction.iter().find(|x| !x.is_finite()) {
            return Err(AskError::NotFinite(bad));
        }
        let largest = |d: &Point| d.iter().fold(0.0f64, |most, x| most.max(x.abs()));
        // Subnormal numbers have no exponent to scale by; a power of two makes them normal.
        let tiny = largest(&direction) < COORDINATE_MIN;
        let direction = direction.map(|x| if tiny { x * 2f64.powi(600) } else { x });
        if largest(&direction) == 0.0 {
            return Err(AskError::NoDirection);
        }
        let exponent = (largest(&direction).to_bits() >> 52) as i32 - 1023;
        let direction = direction.map(|x| flush(x * 2f64.powi(-exponent)));
        Ok(Self { origin, direction, length: f64::INFINITY })
    }

    /// The same, up to a length in units of the coordinates; infinity is no end.
    pub fn up_to(self, length: f64) -> Result<Self, AskError> {
        if length.is_nan() || length < 0.0 {
            return Err(AskError::BadDistance(length));
        }
        Ok(Self { length, ..self })
    }

    /// Where it starts.
    pub fn origin(&self) -> Point {
        self.origin
    }

    /// Where it goes: of the direction that was given, not of its length.
    pub fn direction(&self) -> Point {
        self.direction
    }

    /// How far it goes.
    pub fn length(&self) -> f64 {
        self.length
    }

    /// The length of [`Ray::direction`], rounded.
    #[inline]
    pub(crate) fn unit(&self) -> f64 {
        let [x, y, z] = self.direction;
        (x * x + y * y + z * z).sqrt()
    }

    /// The axis along which it goes farthest.
    #[inline]
    pub(crate) fn axis(&self) -> usize {
        let size = |k: usize| self.direction[k].abs();
        let longer = |a: usize, b: usize| if size(b) > size(a) { b } else { a };
        longer(longer(0, 1), 2)
    }
}

/// A point whose surroundings are asked about.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spot {
    point: Point,
    within: f64,
}

impl Spot {
    /// A point, whatever the distance.
    pub fn new(point: Point) -> Result<Self, AskError> {
        Ok(Self { point: checked(point)?, within: f64::INFINITY })
    }

    /// Only what is not farther off matters; infinity is all.
    pub fn within(self, distance: f64) -> Result<Self, AskError> {
        if distance.is_nan() || distance < 0.0 {
            return Err(AskError::BadDistance(distance));
        }
        Ok(Self { within: distance, ..self })
    }

    /// The point.
    pub fn point(&self) -> Point {
        self.point
    }

    /// The greatest distance that matters.
    pub fn reach(&self) -> f64 {
        self.within
    }
}

fn checked(point: Point) -> Result<Point, AskError> {
    if let Some(&bad) = point.iter().find(|x| !x.is_finite()) {
        return Err(AskError::NotFinite(bad));
    }
    if let Some(&far) = point.iter().find(|x| x.abs() > COORDINATE_MAX) {
        return Err(AskError::TooLarge(far));
    }
    Ok(point.map(flush))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_are_scaled_by_powers_of_two() {
        for scale in [5e-324, 1e-308, 1e-91, 1e-3, 1.0, 3.0, 1e90, 1e308] {
            let ray = Ray::new([0.0; 3], [scale, 0.0, -scale]).unwrap();
            let [x, y, z] = ray.direction();
            assert!((1.0..2.0).contains(&x) && y == 0.0 && z == -x, "{ray:?}");
        }
        assert_eq!(Ray::new([0.0; 3], [0.0, 3.0, 1e-95]).unwrap().direction(), [0.0, 1.5, 0.0]);
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        let along_x = [1.0, 0.0, 0.0];
        assert_eq!(Ray::new([0.0; 3], [0.0; 3]), Err(AskError::NoDirection));
        assert!(matches!(Ray::new([f64::NAN; 3], along_x), Err(AskError::NotFinite(_))));
        assert!(matches!(Ray::new([0.0; 3], [f64::NAN; 3]), Err(AskError::NotFinite(_))));
        assert!(matches!(Ray::new([0.0; 3], [f64::INFINITY; 3]), Err(AskError::NotFinite(_))));
        assert_eq!(Ray::new([1e91, 0.0, 0.0], along_x), Err(AskError::TooLarge(1e91)));
        let ray = Ray::new([0.0; 3], along_x).unwrap();
        assert_eq!(ray.up_to(-1.0), Err(AskError::BadDistance(-1.0)));
        assert!(ray.up_to(f64::NAN).is_err() && ray.up_to(f64::INFINITY).is_ok());
        assert!(Spot::new([0.0, f64::NAN, 0.0]).is_err());
        assert!(Spot::new([0.0; 3]).unwrap().within(-0.5).is_err());
    }
}
