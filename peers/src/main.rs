//! Ours beside other libraries, on equal terms: the same inputs, one thread, processor time, and
//! turns, so that whatever else the machine does hits all of them.
//!
//! `cargo xtask peers nbody` builds both sides for this processor and writes `nbody-peers.csv` to
//! the folder for results. Programs under `$PEERS_ROOT` run on the same inputs if it is set.
//! `cargo xtask peers poses` holds `impinge bench poses` against those programs: `bvh-peers.csv`,
//! `cargo xtask peers motions` does so to `impinge bench motions`: `motions-peers.csv`, and
//! `cargo xtask peers ccd` holds `impinge bench ccd` against ipctk: `ccd-peers.csv`.
//! `cargo xtask peers deform` holds `impinge bench deform` against those programs:
//! `deform-peers.csv`, and `cargo xtask peers swept` holds all collisions of a deforming mesh over
//! a step against ipctk: `swept-peers.csv`.

mod ccd;
mod contest;
mod deform;
mod external;
mod motions;
mod nbody;
mod parry;
mod poses;
mod swept;

use anyhow::{Context, Result, bail};
use std::path::PathBuf;

const USAGE: &str = "\
cargo xtask peers nbody [--out DIR] [--frames N] [--sizes 1000,10000] [--pruners NAME,NAME]

  --out      the folder for nbody-peers.csv [default: results]
  --frames   frames per case [default: 100]
  --sizes    numbers of bodies [default: 1000,10000,100000,1000000]
  --pruners  ours that take part [default: all]

Programs under $PEERS_ROOT take part if it is set; ipctk also needs its driver's path in
$PEERS_IPCTK.
";

/// What was asked for.
#[derive(Clone, Debug, PartialEq)]
struct Settings {
    out: PathBuf,
    frames: usize,
    sizes: Vec<usize>,
    /// All if empty.
    pruners: Vec<String>,
}

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.split_first() {
        Some((what, rest)) if what == "nbody" => {
            let settings = settings(rest)?;
            // Everything runs in the pool's one thread, whose time is what is measured.
            let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
            pool.install(|| nbody::run(&settings))
        }
        Some((what, rest)) if what == "poses" => poses::run(rest),
        Some((what, rest)) if what == "motions" => motions::run(rest),
        Some((what, rest)) if what == "ccd" => ccd::run(rest),
        Some((what, rest)) if what == "deform" => deform::run(rest),
        Some((what, rest)) if what == "swept" => swept::run(rest),
        _ => {
            let others = [poses::USAGE, motions::USAGE, ccd::USAGE, deform::USAGE, swept::USAGE];
            bail!("{USAGE}\n{}", others.join("\n"))
        }
    }
}

fn settings(arguments: &[String]) -> Result<Settings> {
    let mut settings = Settings {
        out: "results".into(),
        frames: 100,
        sizes: vec![1000, 10_000, 100_000, 1_000_000],
        pruners: Vec::new(),
    };
    let mut words = arguments.iter();
    while let Some(name) = words.next() {
        let value = words.next().with_context(|| format!("{name} needs a value\n\n{USAGE}"))?;
        let whole = |text: &str| {
            let number = text.parse().ok().filter(|&number: &usize| number > 0);
            number.with_context(|| format!("{name} {value}: whole numbers from 1 are needed"))
        };
        match name.as_str() {
            "--out" => settings.out = value.into(),
            "--frames" => settings.frames = whole(value)?,
            "--sizes" => settings.sizes = value.split(',').map(whole).collect::<Result<_>>()?,
            "--pruners" => settings.pruners = value.split(',').map(str::to_owned).collect(),
            _ => bail!("unknown option {name}\n\n{USAGE}"),
        }
    }
    Ok(settings)
}
