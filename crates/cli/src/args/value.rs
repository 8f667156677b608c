//! Values of arguments, from text. Every message says what was needed.

use super::ask::Asked;
use super::check::Shard;
use impinge::prelude::Budget;
use impinge::volume::RESOLUTIONS;
use impinge::{broad, narrow};
use impinge_scene::units::{Length, Unit};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// More than any machine has; beyond it a typing error is likelier than a wish.
const THREADS_MAX: usize = 1024;

pub(super) fn threads(text: &str) -> Result<usize, String> {
    let count = text.parse().ok().filter(|count| (1..=THREADS_MAX).contains(count));
    count.ok_or_else(|| format!("a whole number from 1 to {THREADS_MAX} is needed"))
}

/// More than anybody waits for.
const FRAMES_MAX: usize = 10_000_000;

pub(super) fn frames(text: &str) -> Result<usize, String> {
    let count = text.parse().ok().filter(|count| (1..=FRAMES_MAX).contains(count));
    count.ok_or_else(|| format!("a whole number from 1 to {FRAMES_MAX} is needed"))
}

pub(super) fn pair_limit(text: &str) -> Result<usize, String> {
    let most = u32::MAX as usize;
    let count = text.parse().ok().filter(|count| (1..=most).contains(count));
    count.ok_or_else(|| format!("a whole number from 1 to {most} is needed"))
}

/// A time, in seconds.
pub(super) fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().and_then(|s| Duration::try_from_secs_f64(s).ok());
    seconds.ok_or_else(|| "a number of seconds is needed, as 2.5".to_owned())
}

/// Three coordinates.
pub(super) fn offset(text: &str) -> Result<[f64; 3], String> {
    let number = |part: &str| part.trim().parse().ok().filter(|x: &f64| x.abs() <= 1e90);
    let three: Option<Vec<f64>> = text.split(',').map(number).collect();
    let three = three.and_then(|three| <[f64; 3]>::try_from(three).ok());
    three.ok_or_else(|| "three numbers up to 1e90 are needed, as 0.8,0.3,0.2".to_owned())
}

/// A part of a motion.
pub(super) fn tolerance(text: &str) -> Result<f64, String> {
    let part = text.parse().ok().filter(|&part: &f64| part > 0.0 && part <= 1.0);
    part.ok_or_else(|| "a part of the motion is needed, above 0 and at most 1, as 1e-6".to_owned())
}

/// More than anybody waits for.
const INSTANTS_MAX: u32 = 10_000_000;

pub(super) fn instants(text: &str) -> Result<u32, String> {
    let count = text.parse().ok().filter(|count| (1..=INSTANTS_MAX).contains(count));
    count.ok_or_else(|| format!("a whole number from 1 to {INSTANTS_MAX} is needed"))
}

/// More than anybody looks at.
const SAMPLES_MAX: usize = 1_000_000;

pub(super) fn samples(text: &str) -> Result<usize, String> {
    let count = text.parse().ok().filter(|count| (2..=SAMPLES_MAX).contains(count));
    count.ok_or_else(|| format!("a whole number from 2 to {SAMPLES_MAX} is needed"))
}

/// In radians; the shorter way round is at most half a turn.
pub(super) fn angle(text: &str) -> Result<f64, String> {
    let angle = text.parse().ok().filter(|angle| (0.0..=std::f64::consts::PI).contains(angle));
    angle.ok_or_else(|| format!("radians from 0 to {} are needed", std::f64::consts::PI))
}

/// How many voxels there may be is for the grid to say; here it is only a number.
pub(super) fn resolution(text: &str) -> Result<u32, String> {
    let count = text.parse().ok().filter(|&count| count >= 1);
    count.ok_or_else(|| format!("a whole number from 1 to {} is needed", u32::MAX))
}

/// Pixels along a side of an image.
pub(super) fn pixels(text: &str) -> Result<u16, String> {
    let pixels = text.parse().ok().filter(|pixels| RESOLUTIONS.contains(pixels));
    pixels.ok_or_else(|| "a whole number from 1 to 1024 is needed".to_owned())
}

pub(super) fn seed(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("a whole number from 0 to {} is needed", u64::MAX))
}

pub(super) fn unit(text: &str) -> Result<Unit, String> {
    text.parse()
}

pub(super) fn length(text: &str) -> Result<Length, String> {
    text.parse()
}

/// Six numbers with commas between them.
pub(super) fn ray(text: &str) -> Result<Asked, String> {
    match Asked::parse(text)? {
        ray @ Asked::Ray(..) => Ok(ray),
        Asked::Point(_) => Err("six numbers ox,oy,oz,dx,dy,dz are needed".to_owned()),
    }
}

/// Three numbers with commas between them.
pub(super) fn point(text: &str) -> Result<Asked, String> {
    match Asked::parse(text)? {
        point @ Asked::Point(_) => Ok(point),
        Asked::Ray(..) => Err("three numbers x,y,z are needed".to_owned()),
    }
}

/// The name of an engine, with parameters if it has any; checked here, made where it is needed.
pub(super) fn engine(text: &str) -> Result<String, String> {
    narrow::by_text(text).map(|_| text.to_owned()).map_err(|error| error.to_string())
}

/// All engines, and what can be set about those that take parameters.
pub(super) fn engines() -> String {
    format!(
        "How pairs of bodies are decided: {}. Some take parameters. voxel, as \
         'voxel?size=0.5&fill=centre', lengths in the unit of the coordinates: {}. octree: {}. \
         image: {}. The e99 engines, as 'e99-obb?alpha=0.5&degree=2-4': {}. The k98 engines, as \
         'k98-octree?level=4': {}. r98-recode, as 'r98-recode?resolution=128': {}",
        list(narrow::names()),
        narrow::voxel::SETTINGS,
        narrow::octree::SETTINGS,
        narrow::image::SETTINGS,
        narrow::e99::SETTINGS,
        narrow::k98::SETTINGS,
        narrow::r98::SETTINGS
    )
}

pub(super) fn pruner(text: &str) -> Result<String, String> {
    known("pruner", text, broad::names())
}

fn known(
    what: &str,
    text: &str,
    names: impl Iterator<Item = &'static str> + Clone,
) -> Result<String, String> {
    if names.clone().any(|name| name == text) {
        return Ok(text.to_owned());
    }
    Err(format!("there is no {what} of that name; known are {}", list(names)))
}

/// The names as they are told to users.
pub(super) fn list(names: impl Iterator<Item = &'static str>) -> String {
    names.collect::<Vec<_>>().join(", ")
}

/// `2ms`, `1.5s`, `300us`, or `10000work`.
pub(super) fn budget(text: &str) -> Result<Budget, String> {
    let needed = || "a time as 2ms or units of work as 10000work are needed".to_owned();
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let (digits, kind) = (digits.trim_end(), &text[digits.len()..]);
    if kind == "work" {
        return digits.parse().map(Budget::Work).map_err(|_| needed());
    }
    let scale = match kind {
        "s" => 1.0,
        "ms" => 1e-3,
        "us" => 1e-6,
        _ => return Err(needed()),
    };
    let seconds: f64 = digits.parse().map_err(|_| needed())?;
    let time = Duration::try_from_secs_f64(seconds * scale).map_err(|_| needed())?;
    Ok(Budget::Time(time))
}

/// `i/n` with `i < n`.
pub(super) fn shard(text: &str) -> Result<Shard, String> {
    let parts = text.split_once('/');
    let numbers = parts.and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
    match numbers {
        Some((first, of)) if first < of => Ok(Shard { first, of }),
        _ => Err("two whole numbers i/n with 0 ≤ i < n are needed, as 0/4".to_owned()),
    }
}

/// A path that can be exported to. Checked before any work is done, so that a long run does not
/// fail at its end.
pub(super) fn export(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    let extension = path.extension().map(|extension| extension.to_ascii_lowercase());
    if !extension.is_some_and(|extension| extension == "ply" || extension == "glb") {
        return Err("a name that ends in .ply or .glb is needed".to_owned());
    }
    writable(path)
}

/// A path that voxels can be written to, checked as early.
pub(super) fn voxels(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    let extension = path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase());
    if !extension.is_some_and(|e| impinge_scene::export::voxels::EXTENSIONS.contains(&e.as_str())) {
        return Err("a name that ends in .binvox, .nrrd or .nhdr is needed".to_owned());
    }
    writable(path)
}

/// A path that answers can be written to, checked as early.
pub(super) fn answers(text: &str) -> Result<PathBuf, String> {
    if text.is_empty() {
        return Err("the name of a file is needed".to_owned());
    }
    writable(PathBuf::from(text))
}

/// A folder that is there or can be made.
pub(super) fn folder(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    if text.is_empty() || (path.exists() && !path.is_dir()) {
        return Err("this is no directory; the name of one, old or new, is needed".to_owned());
    }
    Ok(path)
}

fn writable(path: PathBuf) -> Result<PathBuf, String> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    if !folder.unwrap_or(Path::new(".")).is_dir() {
        return Err("its folder does not exist".to_owned());
    }
    if path.is_dir() {
        return Err("this is a directory; the name of a file is needed".to_owned());
    }
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budgets_are_times_or_work() {
        assert_eq!(budget("2ms"), Ok(Budget::Time(Duration::from_millis(2))));
        assert_eq!(budget("1.5s"), Ok(Budget::Time(Duration::from_millis(1500))));
        assert_eq!(budget("10000work"), Ok(Budget::Work(10_000)));
        for bad in ["", "2", "ms", "-1ms", "nans", "1e400s", "1.5work", "2 parsec", "é"] {
            assert!(budget(bad).unwrap_err().contains("units of work as 10000work"), "{bad}");
        }
    }

    #[test]
    fn shards_count_from_zero() {
        assert_eq!(shard("1/3"), Ok(Shard { first: 1, of: 3 }));
        let held: Vec<u64> =
            (0..7).filter(|&query| Shard { first: 1, of: 3 }.holds(query)).collect();
        assert_eq!(held, [1, 4]);
        for bad in ["3/3", "0/0", "1", "-1/2", "a/b", "1/"] {
            assert!(shard(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn parts_of_a_motion_are_above_zero() {
        assert_eq!(
            (tolerance("1e-9"), tolerance("1"), angle("3.141592653589793")),
            (Ok(1e-9), Ok(1.0), Ok(std::f64::consts::PI))
        );
        for bad in ["0", "-1", "1.5", "nan", "inf", "", "x"] {
            assert!(tolerance(bad).is_err() && instants(bad).is_err(), "{bad}");
        }
        assert!(angle("3.2").is_err() && angle("nan").is_err() && angle("-0.1").is_err());
    }

    #[test]
    fn unknown_engines_are_refused_with_the_known_ones() {
        assert_eq!(engine("brute"), Ok("brute".to_owned()));
        assert!(engine("brut").unwrap_err().contains("known are auto, bvh, octree, "));
        assert!(engine("e99-obb?splitter=plain&quality=volume&alpha=0.5&degree=2-4").is_ok());
        for bad in ["brute?alpha=0.5", "e99-obb?alpha=2", "e99-obb?x=1", "e99?alpha=0.5", "?", ""] {
            assert!(engine(bad).is_err(), "{bad}");
        }
        assert!(threads("0").is_err() && threads("2") == Ok(2));
    }
}
