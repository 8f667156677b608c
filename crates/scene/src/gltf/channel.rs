//! Channels of an animation: one property of a node in the course of time [glTF 2.0 §3.11, App. C].

use super::buffer::{Buffers, missing};
use super::json::{Animation, Document, Sampler};
use super::{accessor, check_unfolded, whole};
use crate::error::Fault;

/// What a channel moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Property {
    Translation,
    Rotation,
    Scale,
    Weights,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Between {
    Step,
    Linear,
    Cubic,
}

/// A property of a node at some instants, and how it goes between them.
#[derive(Clone, Debug)]
pub(super) struct Channel {
    pub node: usize,
    pub property: Property,
    between: Between,
    /// Rising; at least one.
    times: Vec<f64>,
    /// `width` of them for each time; three times as many for splines: tangent in, value, tangent out.
    values: Vec<f64>,
    width: usize,
}

/// All channels of an animation that this reader has a use for.
pub(super) fn channels(
    document: &Document,
    animation: &Animation,
    buffers: &mut Buffers<'_>,
) -> Result<Vec<Channel>, Fault> {
    let mut found = Vec::new();
    let mut unfolded = 0;
    for (number, channel) in animation.channels.iter().enumerate() {
        let user = format!("animation 0, channel {number}");
        let property = match channel.target.path.as_str() {
            "translation" => Property::Translation,
            "rotation" => Property::Rotation,
            "scale" => Property::Scale,
            "weights" => Property::Weights,
            // Extensions move lights, cameras and colours, which have no shape.
            _ => continue,
        };
        let Some(node) = channel.target.node else { continue };
        if node >= document.nodes.len() {
            return Err(missing(&user, "node", node, document.nodes.len()));
        }
        let count = animation.samplers.len();
        let sampler = animation.samplers.get(channel.sampler);
        let sampler = sampler.ok_or_else(|| missing(&user, "sampler", channel.sampler, count))?;
        let channel = read(document, sampler, (node, property), (&user, &mut *buffers))?;
        // Many channels may share a sampler, so that a small file could ask for much.
        unfolded += channel.times.len() + channel.values.len();
        check_unfolded(unfolded, buffers, "the animation unfolds")?;
        found.push(channel);
    }
    Ok(found)
}

fn read(
    document: &Document,
    sampler: &Sampler,
    (node, property): (usize, Property),
    (user, buffers): (&str, &mut Buffers<'_>),
) -> Result<Channel, Fault> {
    let between = match sampler.interpolation.as_str() {
        "STEP" => Between::Step,
        "LINEAR" => Between::Linear,
        "CUBICSPLINE" => Between::Cubic,
        other => {
            let known = "STEP, LINEAR, CUBICSPLINE";
            return Err(whole(format!("{user} interpolates by `{other}`; known are {known}")));
        }
    };
    let times = accessor::numbers::<1>(document, sampler.input, (user, &mut *buffers))?;
    let times: Vec<f64> = times.into_iter().map(|[time]| time).collect();
    let rising = times.windows(2).all(|two| two[0] < two[1]) && times.iter().all(|t| t.is_finite());
    if !rising || times.is_empty() {
        return Err(whole(format!("{user}: its times must be finite and rise, at least one")));
    }
    let output = sampler.output;
    let values = match property {
        Property::Translation | Property::Scale => {
            accessor::numbers::<3>(document, output, (user, buffers))?.into_flattened()
        }
        Property::Rotation => {
            accessor::numbers::<4>(document, output, (user, buffers))?.into_flattened()
        }
        Property::Weights => {
            accessor::numbers::<1>(document, output, (user, buffers))?.into_flattened()
        }
    };
    let each = if between == Between::Cubic { 3 } else { 1 } * times.len();
    let width = match property {
        Property::Translation | Property::Scale => 3,
        Property::Rotation => 4,
        Property::Weights => values.len() / each,
    };
    if values.len() != width * each || width == 0 {
        return Err(whole(format!(
            "{user}: {} numbers are no values for {} times of {property:?}",
            values.len(),
            times.len()
        )));
    }
    if values.iter().any(|x| !x.is_finite()) {
        return Err(whole(format!("{user} has values that are no finite numbers")));
    }
    Ok(Channel { node, property, between, times, values, width })
}

impl Channel {
    /// The first and the last time.
    pub(super) fn span(&self) -> [f64; 2] {
        [self.times[0], self.times[self.times.len() - 1]]
    }

    /// The value at a time; before the first and after the last it stays.
    pub(super) fn at(&self, time: f64) -> Vec<f64> {
        let after = self.times.partition_point(|&t| t <= time);
        if after == 0 {
            return self.key(0).to_vec();
        }
        if after == self.times.len() {
            return self.key(after - 1).to_vec();
        }
        let [t0, t1] = [self.times[after - 1], self.times[after]];
        let part = (time - t0) / (t1 - t0);
        match self.between {
            Between::Step => self.key(after - 1).to_vec(),
            Between::Linear if self.property == Property::Rotation => self.slerp(after, part),
            Between::Linear => {
                let (from, to) = (self.key(after - 1), self.key(after));
                from.iter().zip(to).map(|(a, b)| a + (b - a) * part).collect()
            }
            Between::Cubic => self.spline(after, part, t1 - t0),
        }
    }

    fn key(&self, index: usize) -> &[f64] {
        match self.between {
            Between::Cubic => self.row(3 * index + 1),
            Between::Step | Between::Linear => self.row(index),
        }
    }

    fn row(&self, index: usize) -> &[f64] {
        &self.values[index * self.width..][..self.width]
    }

    /// The short way round at a steady rate.
    fn slerp(&self, after: usize, part: f64) -> Vec<f64> {
        let (from, to) = (self.key(after - 1), self.key(after));
        let dot: f64 = from.iter().zip(to).map(|(a, b)| a * b).sum();
        let sign = if dot < 0.0 { -1.0 } else { 1.0 };
        let angle = dot.abs().min(1.0).acos();
        let sine = angle.sin();
        // So close together, the straight way is as good, and no quotient is lost.
        let [a, b] = if sine < 1e-6 {
            [1.0 - part, part]
        } else {
            [((1.0 - part) * angle).sin() / sine, (part * angle).sin() / sine]
        };
        from.iter().zip(to).map(|(x, y)| a * x + b * sign * y).collect()
    }

    fn spline(&self, after: usize, s: f64, step: f64) -> Vec<f64> {
        let before = after - 1;
        let (from, leaving) = (self.row(3 * before + 1), self.row(3 * before + 2));
        let (arriving, to) = (self.row(3 * after), self.row(3 * after + 1));
        let (s2, s3) = (s * s, s * s * s);
        let value = |k: usize| {
            (2.0 * s3 - 3.0 * s2 + 1.0) * from[k]
                + step * (s3 - 2.0 * s2 + s) * leaving[k]
                + (3.0 * s2 - 2.0 * s3) * to[k]
                + step * (s3 - s2) * arriving[k]
        };
        (0..self.width).map(value).collect()
    }
}
