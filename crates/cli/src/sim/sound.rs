//! What collisions sound like: a short click each, in a WAV file of one channel.
//!
//! Loudness follows the speed at which two approach each other, pitch the size of the smaller body. Time
//! is that of the simulation; where a frame takes longer than a twentieth of a second, as in rooms whose
//! unit of time is the frame, sixty frames make a second.

use anyhow::{Context, Result, ensure};
use impinge_sim::prelude::{Frame, Other, Plan};
use std::f64::consts::TAU;
use std::path::{Path, PathBuf};

/// Samples per second.
const RATE: f64 = 44_100.0;
/// How long a click is heard, and how fast it fades, in seconds.
const CLICK: f64 = 0.1;
const FADE: f64 = 0.02;
/// The pitch of a body of middling size; no body is lower or higher than these.
const PITCH: [f64; 3] = [120.0, 880.0, 6000.0];
/// Nobody listens longer, in seconds.
const LENGTH_MAX: f64 = 3600.0;
/// Slower frames are played at [`FILM`] frames per second.
const SLOW: f64 = 0.05;
const FILM: f64 = 60.0;

/// Clicks so far.
pub(super) struct Sound {
    path: PathBuf,
    /// Of a frame, in seconds.
    step: f64,
    frames: u64,
    /// Of each body.
    pitches: Vec<f64>,
    clicks: Vec<Click>,
}

struct Click {
    time: f64,
    speed: f64,
    pitch: f64,
}

impl Sound {
    /// Refuses what would be too long, before any work.
    pub(super) fn new(path: &Path, plan: &Plan, frames: usize) -> Result<Self> {
        let step = if plan.dt > SLOW { 1.0 / FILM } else { plan.dt };
        let length = step * frames as f64;
        ensure!(
            length <= LENGTH_MAX,
            "--sound: it would last {length:.0} s; at most {LENGTH_MAX} s are possible"
        );
        let sizes: Vec<f64> =
            plan.bodies.iter().map(|body| body.mesh.bounds().diagonal()).collect();
        let middle = sizes.iter().sum::<f64>() / sizes.len().max(1) as f64;
        let pitch = |size: &f64| (PITCH[1] * middle / size).clamp(PITCH[0], PITCH[2]);
        let pitches = sizes.iter().map(pitch).collect();
        Ok(Self { path: path.to_owned(), step, frames: 0, pitches, clicks: Vec::new() })
    }

    pub(super) fn add(&mut self, frame: &Frame<'_>) {
        self.frames = frame.number;
        let time = frame.number as f64 * self.step;
        self.clicks.extend(frame.collisions.iter().map(|met| {
            let own = self.pitches[met.body];
            let pitch = match met.with {
                Other::Body(b) => own.max(self.pitches[b]),
                Other::Lower(_) | Other::Upper(_) => own,
            };
            Click { time, speed: met.speed, pitch }
        }));
    }

    pub(super) fn write(self) -> Result<()> {
        let wave = self.wave();
        let written = std::fs::write(&self.path, wav(&wave));
        written.with_context(|| format!("{}: cannot be written", self.path.display()))
    }

    /// All clicks, the loudest moment at nine tenths of what there is.
    fn wave(&self) -> Vec<i16> {
        let length = self.frames as f64 * self.step + CLICK;
        let mut sum = vec![0.0f32; (length * RATE) as usize + 1];
        for click in &self.clicks {
            let from = (click.time * RATE) as usize;
            let until = (from + (CLICK * RATE) as usize).min(sum.len());
            for (i, sample) in sum[from.min(until)..until].iter_mut().enumerate() {
                let t = i as f64 / RATE;
                let tone = (TAU * click.pitch * t).sin() * (-t / FADE).exp();
                *sample += (click.speed * tone) as f32;
            }
        }
        let peak = sum.iter().fold(0.0f32, |most, x| most.max(x.abs()));
        let scale = if peak > 0.0 { 0.9 * f32::from(i16::MAX) / peak } else { 0.0 };
        sum.iter().map(|x| (x * scale) as i16).collect()
    }
}

/// The bytes of a file: a head of 44, then the samples.
fn wav(wave: &[i16]) -> Vec<u8> {
    let (rate, bytes) = (RATE as u32, 2 * wave.len() as u32);
    let mut file = Vec::with_capacity(44 + 2 * wave.len());
    file.extend_from_slice(b"RIFF");
    file.extend_from_slice(&(36 + bytes).to_le_bytes());
    file.extend_from_slice(b"WAVEfmt ");
    file.extend_from_slice(&16u32.to_le_bytes());
    // Plain samples, one channel.
    file.extend_from_slice(&1u16.to_le_bytes());
    file.extend_from_slice(&1u16.to_le_bytes());
    file.extend_from_slice(&rate.to_le_bytes());
    file.extend_from_slice(&(2 * rate).to_le_bytes());
    file.extend_from_slice(&2u16.to_le_bytes());
    file.extend_from_slice(&16u16.to_le_bytes());
    file.extend_from_slice(b"data");
    file.extend_from_slice(&bytes.to_le_bytes());
    file.extend(wave.iter().flat_map(|sample| sample.to_le_bytes()));
    file
}
