//! `--images DIR`: what an engine that looks at images sees of each listed pair, as PNG for people, each with a
//! JSON file beside it that says what is what. The text is in the PNG, too.
//!
//! A picture is a look of its own, after the answer: without a budget, and along a direction that owes nothing
//! to other queries.

mod passes;
mod seen;

use super::ask::{Answered, Question};
use super::line::Verdict;
use super::plan::Plan;
use crate::number::of;
use anyhow::{Context, Result, bail};
use impinge::narrow;
use impinge::prelude::*;
use impinge_geom::image::Image;
use impinge_scene::units::Unit;
use narrow::r98::{R98, Settings};
use seen::Seen;
use serde::Serialize;
use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The engines of which there are pictures.
pub(super) const ENGINES: [&str; 2] = [narrow::image::NAME, narrow::r98::NAME];
/// So many pictures are written at most; a million of them would help nobody.
const PICTURES_MAX: usize = 100;
/// A panel is made at least this wide or high, if whole pixels allow it.
const PANEL_MIN: usize = 320;
/// Between panels.
const GAP: usize = 8;
/// Names of bodies are cut to this in names of files.
const NAME_MAX: usize = 40;

type Color = [u8; 3];

const BACKGROUND: Color = [22, 24, 28];
/// From the farthest to the nearest.
const DEPTHS_A: [Color; 2] = [[16, 44, 84], [196, 224, 255]];
const DEPTHS_B: [Color; 2] = [[84, 40, 8], [255, 224, 178]];

/// Pictures on their way to a folder.
pub(crate) struct Gallery {
    folder: PathBuf,
    eye: Eye,
    written: usize,
    /// There would have been more.
    cut_short: bool,
    /// How many answers there were.
    queries: u64,
    /// How many pairs reach no part of space in common, so that there is nothing to show of them.
    without: u64,
    /// How many bodies were listed against themselves, which is not looked at from outside.
    alone: u64,
    /// The folder was made for the pictures.
    is_new: bool,
    /// Why there are no more pictures. Answers go on, for they are what was asked for.
    failed: Option<anyhow::Error>,
}

/// Who looks.
enum Eye {
    Image(Box<Seen>),
    Recode(Box<R98>),
}

/// A picture with what it is called.
struct Shot<'a> {
    /// What its name has beside the query and the pair.
    suffix: String,
    sheet: Sheet,
    legend: Legend<'a>,
}

/// A body where it is looked at.
struct Placed {
    mesh: Arc<Mesh>,
    pose: Pose,
}

impl Placed {
    fn of(plan: &Plan, question: &Question, name: &str) -> Option<Self> {
        let body = plan.bodies.iter().find(|body| body.name == name)?;
        let mesh = body.mesh_at(&question.view, 1.0).ok()?;
        Some(Self { mesh, pose: body.at(question.view.place()).end() })
    }
}

/// What a picture shows.
#[derive(Serialize)]
struct Legend<'a> {
    query: u64,
    a: &'a str,
    b: &'a str,
    verdict: Verdict,
    units: Unit,
    /// From left to right.
    panels: Vec<&'static str>,
    /// As red, green and blue.
    colours: Vec<(&'static str, Color)>,
    /// Of a panel, before it was made larger.
    pixels: [u32; 2],
    #[serde(flatten)]
    more: More,
}

/// What only pictures of one engine have.
#[derive(Serialize)]
#[serde(untagged)]
enum More {
    Image(seen::Facts),
    Recode(passes::Facts),
}

impl Gallery {
    /// Makes the folder, or takes one that has no pictures yet: those of two runs could not be told apart.
    /// The engine is one of [`ENGINES`], and what is set of it was checked.
    pub(crate) fn open(folder: &Path, engine: &str) -> Result<Self> {
        let (name, settings) = engine.split_once('?').unwrap_or((engine, ""));
        let eye = if name == narrow::r98::NAME {
            let settings = Settings::read(settings).map_err(anyhow::Error::msg)?;
            Eye::Recode(Box::new(R98::new(settings)))
        } else {
            let resolution = settings.split('&').find_map(|one| one.strip_prefix("resolution="));
            let resolution = resolution.and_then(|value| value.parse().ok());
            Eye::Image(Box::new(Seen { image: Image::default(), resolution }))
        };
        let old = old_pictures(folder)?;
        if let Some(first) = old.first() {
            bail!(
                "{} has {} of another run, as {first}; an empty folder is needed, or one without \
                 pictures",
                folder.display(),
                of(old.len() as u64, "picture file")
            );
        }
        let is_new = !folder.exists();
        std::fs::create_dir_all(folder).with_context(|| {
            format!("{}: the folder for pictures cannot be made", folder.display())
        })?;
        Ok(Self {
            folder: folder.to_owned(),
            eye,
            written: 0,
            cut_short: false,
            queries: 0,
            without: 0,
            alone: 0,
            is_new,
            failed: None,
        })
    }

    /// Adds the pictures of an answer. What cannot be written is told at the [`Gallery::end`].
    pub(crate) fn add(&mut self, plan: &Plan, question: &Question, answered: &Answered<'_>) {
        self.queries += 1;
        if self.failed.is_none() {
            self.failed = self.draw(plan, question, answered).err();
        }
    }

    fn draw(&mut self, plan: &Plan, question: &Question, answered: &Answered<'_>) -> Result<()> {
        let pairs = answered.line.pairs.iter().enumerate();
        for (number, pair) in pairs {
            if pair.a == pair.b {
                self.alone += 1;
                continue;
            }
            if self.written == PICTURES_MAX {
                self.cut_short = true;
                return Ok(());
            }
            let places = [pair.a, pair.b].map(|name| Placed::of(plan, question, name));
            let [Some(a), Some(b)] = places else { continue };
            let blank = |more: More| Legend {
                query: question.number,
                a: pair.a,
                b: pair.b,
                verdict: pair.verdict,
                units: plan.unit,
                panels: Vec::new(),
                colours: Vec::new(),
                pixels: [0; 2],
                more,
            };
            let shots = match &mut self.eye {
                Eye::Image(seen) => seen.shoot(([&a, &b], pair.verdict), blank),
                Eye::Recode(engine) => passes::shoot(engine, [&a, &b], blank),
            };
            self.without += u64::from(shots.is_empty());
            let names = [pair.a, pair.b].map(plain).join("-");
            let stem = format!("query{}-pair{number}-{names}", question.number);
            let room = PICTURES_MAX - self.written;
            self.cut_short |= shots.len() > room;
            for shot in shots.iter().take(room) {
                self.write(&format!("{stem}{}", shot.suffix), shot)?;
                self.written += 1;
            }
        }
        Ok(())
    }

    /// What there is to say at the end, if anything; or why pictures are missing.
    pub(crate) fn end(mut self, plan: &Plan) -> Result<Option<String>> {
        let failed = self.failed.take();
        failed.map_or_else(|| Ok(self.note(plan)), Err)
    }

    fn note(&self, plan: &Plan) -> Option<String> {
        let folder = self.folder.display();
        if self.cut_short {
            let others = match plan.bodies.len() {
                _ if self.queries > 1 => ", and --shard or fewer queries show others",
                0..=2 => "",
                _ => ", and to see others check fewer bodies at once",
            };
            return Some(format!(
                "note: {folder} has the first {PICTURES_MAX} pictures; there are more{others}"
            ));
        }
        let head = match self.written as u64 {
            0 => "no picture was written".to_owned(),
            some => format!("{folder} has {}", of(some, "picture")),
        };
        let mut none = Vec::new();
        if self.without > 0 {
            let pairs = of(self.without, "listed pair");
            none.push(format!("none of {pairs} whose boxes share nothing"));
        }
        if self.alone > 0 {
            none.push("none of bodies against themselves".to_owned());
        }
        if none.is_empty() && self.written == 0 {
            none.push("no pair is listed".to_owned());
        }
        (!none.is_empty()).then(|| format!("note: {head}; {}", none.join(", ")))
    }

    fn write(&self, stem: &str, shot: &Shot<'_>) -> Result<()> {
        let text = serde_json::to_string_pretty(&shot.legend)? + "\n";
        let path = |ending: &str| self.folder.join(format!("{stem}.{ending}"));
        let cannot = |path: &Path| format!("{}: cannot be written", path.display());
        // The picture has the text in it, so that it is complete without the file beside it.
        let png = path("png");
        shot.sheet.write(&png, &text).with_context(|| cannot(&png))?;
        let json = path("json");
        std::fs::write(&json, &text).with_context(|| cannot(&json))
    }
}

impl Drop for Gallery {
    /// A folder that was made for nothing is taken away again.
    fn drop(&mut self) {
        if self.is_new && self.written == 0 {
            // It stays if anything is in it.
            drop(std::fs::remove_dir(&self.folder));
        }
    }
}

/// The names of the pictures in a folder and of what was written beside them, in their order.
fn old_pictures(folder: &Path) -> Result<Vec<String>> {
    if !folder.exists() {
        return Ok(Vec::new());
    }
    let cannot = || format!("{}: the folder for pictures cannot be read", folder.display());
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).with_context(cannot)? {
        let name = entry.with_context(cannot)?.file_name().to_string_lossy().into_owned();
        if is_picture(&name) {
            names.push(name);
        }
    }
    names.sort_unstable();
    Ok(names)
}

/// Whether a file has a name as [`Gallery::write`] gives them: `query0-pair0-….png` or `….json`.
fn is_picture(name: &str) -> bool {
    let after_number = |text: &str, word: &str| -> Option<String> {
        let rest = text.strip_prefix(word)?;
        let other = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        (other.len() < rest.len()).then(|| other.to_owned())
    };
    let rest = after_number(name, "query").and_then(|rest| after_number(&rest, "-pair"));
    let ends = [".png", ".json"].iter().any(|ending| name.ends_with(ending));
    ends && rest.is_some_and(|rest| rest.starts_with('-'))
}

/// Panels side by side.
struct Sheet {
    width: usize,
    height: usize,
    colors: Vec<Color>,
}

impl Sheet {
    /// So many panels of that width and height, given the colour of each pixel of each, row by row.
    fn of(panels: usize, [width, height]: [u32; 2], pixel: impl Fn(usize, usize) -> Color) -> Self {
        let [width, height] = [width, height].map(|count| count as usize);
        let zoom = PANEL_MIN.div_ceil(width.max(height).max(1));
        let wide = panels * (zoom * width + GAP) - GAP;
        let mut colors = vec![[255; 3]; wide * zoom * height];
        for panel in 0..panels {
            for (i, place) in (0..width * height).map(|i| (i, [i % width, i / width])) {
                let color = pixel(panel, i);
                let left = panel * (zoom * width + GAP) + zoom * place[0];
                for y in zoom * place[1]..zoom * (place[1] + 1) {
                    colors[y * wide + left..][..zoom].fill(color);
                }
            }
        }
        Self { width: wide, height: zoom * height, colors }
    }

    fn write(&self, path: &Path, legend: &str) -> Result<()> {
        let out = BufWriter::new(File::create(path)?);
        let mut encoder = png::Encoder::new(out, self.width as u32, self.height as u32);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.add_itxt_chunk("Comment".to_owned(), legend.to_owned())?;
        let mut writer = encoder.write_header()?;
        writer.write_image_data(self.colors.as_flattened())?;
        Ok(writer.finish()?)
    }
}

fn mix(from: Color, to: Color, part: f64) -> Color {
    std::array::from_fn(|k| {
        (f64::from(from[k]) + part * (f64::from(to[k]) - f64::from(from[k]))).round() as u8
    })
}

/// A name of a body as a part of the name of a file.
fn plain(name: &str) -> String {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    name.chars().take(NAME_MAX).map(|c| if fits(c) { c } else { '_' }).collect()
}

#[cfg(test)]
mod tests {
    use super::super::Demonstration;
    use super::super::places::{Kind, Places};
    use super::super::run::{Output, run};
    use super::*;
    use clap::Parser;

    /// Counts answers; before the second one the folder for pictures becomes a file.
    struct Spoiler {
        folder: PathBuf,
        answers: usize,
    }

    impl Output for Spoiler {
        fn answer(&mut self, _: &Answered<'_>) -> Result<bool> {
            if self.answers == 1 {
                std::fs::remove_dir_all(&self.folder)?;
                std::fs::write(&self.folder, "")?;
            }
            self.answers += 1;
            Ok(true)
        }

        fn flush(&mut self) -> Result<bool> {
            Ok(true)
        }
    }

    #[test]
    fn answers_go_on_where_pictures_cannot_be_written() {
        let base = tempfile::tempdir().unwrap();
        let poses = base.path().join("poses.txt");
        std::fs::write(&poses, "1 0 0 0 0.5 0 0\n".repeat(5)).unwrap();
        let args = ["impinge", "sample:box", "sample:box", "--engine", "image?resolution=4"];
        let plan = Plan::of(&Demonstration::try_parse_from(args).unwrap().check).unwrap();
        let folder = base.path().join("pictures");
        let mut gallery = Gallery::open(&folder, &plan.engine).unwrap();
        let mut out = Spoiler { folder: folder.clone(), answers: 0 };
        let queries = Places::open(&poses, Kind::Poses).unwrap();
        let tally = run(&plan, Some(queries), (&mut out, Some(&mut gallery))).unwrap();
        assert!(tally.has_findings() && out.answers == 5);
        assert_eq!(gallery.written, 1);
        let told = gallery.end(&plan).unwrap_err().to_string();
        let picture = folder.join("query1-pair0-box-box-2.png");
        assert_eq!(told, format!("{}: cannot be written", picture.display()));
    }

    #[test]
    fn pictures_are_known_by_their_names() {
        for name in ["query0-pair0-a-b.png", "query17-pair203-a-b-blocks0_1-pass2.json"] {
            assert!(is_picture(name), "{name}");
        }
        for name in ["query-pair0-a-b.png", "query0-pair-a.png", "query0-pair1.png", "knots.png"] {
            assert!(!is_picture(name), "{name}");
        }
        assert!(!is_picture("query0-pair0-a-b.txt"));
    }
}
