//! Plots of results, as SVG and PNG. A font is built in: the same picture on every machine.

use crate::table::significant;
use anyhow::{Context, Result, anyhow, bail};
use plotters::coord::Shift;
use plotters::coord::ranged1d::{AsRangedCoord, Ranged, ValueFormatter};
use plotters::prelude::*;
use std::ops::Range;

/// Curves or points over two axes.
#[derive(Clone, Debug, PartialEq)]
pub struct Plot {
    /// Above the picture.
    pub title: String,
    /// Across.
    pub x: Axis,
    /// Upwards.
    pub y: Axis,
    /// What is drawn; told apart by colour.
    pub series: Vec<Series>,
}

/// An axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// What it shows, with the unit.
    pub label: String,
    /// How it is divided.
    pub scale: Scale,
}

/// How an axis is divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Evenly.
    Linear,
    /// By powers of ten; all values must be positive.
    Log,
}

/// Data of one kind.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// In the legend.
    pub name: String,
    /// How it is drawn.
    pub mark: Mark,
    /// In the order in which a line joins them.
    pub points: Vec<[f64; 2]>,
}

/// How a series is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// Points joined by a line.
    Line,
    /// Points alone.
    Points,
}

const SIZE: (u32, u32) = (900, 600);
const FONT: &str = "sans-serif";
/// Told apart by most who cannot tell red from green.
const COLORS: [RGBColor; 10] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(60, 60, 60),
    RGBColor(150, 75, 20),
    RGBColor(170, 190, 20),
    RGBColor(120, 60, 170),
];

impl Axis {
    /// The text of a tick. A logarithmic axis has one at each digit; at 1, 2 and 5 they have room.
    fn tick(&self, value: f64) -> String {
        let digit = value / 10f64.powf(value.log10().floor());
        let shown = [1.0, 2.0, 5.0, 10.0].iter().any(|d| (digit - d).abs() < 1e-6);
        if self.scale == Scale::Linear || shown { significant(value) } else { String::new() }
    }
}

impl Plot {
    /// The picture as SVG text.
    pub fn to_svg(&self) -> Result<String> {
        let mut text = String::new();
        self.draw(&SVGBackend::with_string(&mut text, SIZE).into_drawing_area())?;
        Ok(text)
    }

    /// The picture as a PNG file.
    pub fn to_png(&self) -> Result<Vec<u8>> {
        let mut pixels = vec![0; 3 * SIZE.0 as usize * SIZE.1 as usize];
        self.draw(&BitMapBackend::with_buffer(&mut pixels, SIZE).into_drawing_area())?;
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, SIZE.0, SIZE.1);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.write_header()?.write_image_data(&pixels)?;
        Ok(file)
    }

    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>) -> Result<()> {
        plotters::style::register_font(FONT, FontStyle::Normal, epaint_default_fonts::UBUNTU_LIGHT)
            .map_err(|_| anyhow!("the built-in font cannot be read"))?;
        let (x, y) = (self.range(0)?, self.range(1)?);
        match (self.x.scale, self.y.scale) {
            (Scale::Linear, Scale::Linear) => self.draw_over(area, x, y),
            (Scale::Log, Scale::Linear) => self.draw_over(area, x.log_scale(), y),
            (Scale::Linear, Scale::Log) => self.draw_over(area, x, y.log_scale()),
            (Scale::Log, Scale::Log) => self.draw_over(area, x.log_scale(), y.log_scale()),
        }
    }

    /// From the smallest to the largest value along an axis, and a little beyond.
    fn range(&self, axis: usize) -> Result<Range<f64>> {
        let Axis { label, scale } = if axis == 0 { &self.x } else { &self.y };
        let values = || self.series.iter().flat_map(|s| &s.points).map(|point| point[axis]);
        if let Some(bad) = values().find(|v| !v.is_finite() || *scale == Scale::Log && *v <= 0.0) {
            bail!("`{label}` has the value {bad}, which cannot be drawn on a {scale:?} axis");
        }
        let (low, high) = (values().reduce(f64::min), values().reduce(f64::max));
        let (low, high) = low.zip(high).context("there is nothing to plot")?;
        Ok(match scale {
            Scale::Log => low / 1.25..high * 1.25,
            Scale::Linear => {
                let margin =
                    if high > low { 0.05 * (high - low) } else { 0.5 * low.abs().max(1.0) };
                // An axis of positive values begins at zero: differences look as large as they are.
                (if low >= 0.0 { 0.0 } else { low - margin })..high + margin
            }
        })
    }

    /// Where the legend covers the fewest points.
    fn emptiest_corner(&self) -> Result<SeriesLabelPosition> {
        let (x, y) = (self.range(0)?, self.range(1)?);
        let share = |value: f64, range: &Range<f64>, scale: Scale| match scale {
            Scale::Linear => (value - range.start) / (range.end - range.start),
            Scale::Log => (value / range.start).ln() / (range.end / range.start).ln(),
        };
        let mut points = [0; 4];
        for [px, py] in self.series.iter().flat_map(|series| &series.points) {
            let (right, up) = (share(*px, &x, self.x.scale), share(*py, &y, self.y.scale));
            // A legend takes about a third of the width and half of the height.
            if !(0.35..0.65).contains(&right) {
                points[usize::from(right > 0.5) + 2 * usize::from(up > 0.5)] += 1;
            }
        }
        let corners = [
            SeriesLabelPosition::LowerLeft,
            SeriesLabelPosition::LowerRight,
            SeriesLabelPosition::UpperLeft,
            SeriesLabelPosition::UpperRight,
        ];
        let best = (0..4).min_by_key(|&corner| points[corner]).unwrap_or(0);
        Ok(corners[best].clone())
    }

    fn draw_over<B, X, Y>(&self, area: &DrawingArea<B, Shift>, x: X, y: Y) -> Result<()>
    where
        B: DrawingBackend,
        X: AsRangedCoord<Value = f64, CoordDescType: Ranged<ValueType = f64> + ValueFormatter<f64>>,
        Y: AsRangedCoord<Value = f64, CoordDescType: Ranged<ValueType = f64> + ValueFormatter<f64>>,
    {
        let fault = |error: DrawingAreaErrorKind<B::ErrorType>| anyhow!("cannot draw: {error}");
        area.fill(&WHITE).map_err(fault)?;
        let mut chart = ChartBuilder::on(area)
            .caption(&self.title, (FONT, 22))
            .margin(15)
            .x_label_area_size(50)
            .y_label_area_size(80)
            .build_cartesian_2d(x, y)
            .map_err(fault)?;
        chart
            .configure_mesh()
            .x_desc(&self.x.label)
            .y_desc(&self.y.label)
            .x_label_formatter(&|value| self.x.tick(*value))
            .y_label_formatter(&|value| self.y.tick(*value))
            .label_style((FONT, 15))
            .light_line_style(BLACK.mix(0.04))
            .draw()
            .map_err(fault)?;
        for (series, color) in self.series.iter().zip(COLORS.iter().cycle()) {
            let points = || series.points.iter().map(|&[x, y]| (x, y));
            if series.mark == Mark::Line {
                chart
                    .draw_series(LineSeries::new(points(), color.stroke_width(2)))
                    .map_err(fault)?;
            }
            chart
                .draw_series(points().map(|point| Circle::new(point, 4, color.filled())))
                .map_err(fault)?
                .label(&series.name)
                .legend(move |(x, y)| Circle::new((x + 10, y), 5, color.filled()));
        }
        chart
            .configure_series_labels()
            .position(self.emptiest_corner()?)
            .label_font((FONT, 15))
            .background_style(WHITE.mix(0.85))
            .border_style(BLACK.mix(0.3))
            .draw()
            .map_err(fault)?;
        area.present().map_err(fault)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example(x: Scale, y: Scale) -> Plot {
        let axis = |label: &str, scale| Axis { label: label.into(), scale };
        let line = (1..20).map(|i| [f64::from(i) * 100.0, f64::from(i * i)]).collect();
        let points = (1..20).map(|i| [f64::from(i) * 90.0, f64::from(i) * 5.0]).collect();
        Plot {
            title: "faces & <time>".into(),
            x: axis("faces", x),
            y: axis("time [ms]", y),
            series: vec![
                Series { name: "all".into(), mark: Mark::Line, points: line },
                Series { name: "some".into(), mark: Mark::Points, points },
            ],
        }
    }

    /// Panics unless every element of the text is closed by its own name.
    fn assert_well_formed(text: &str) {
        let mut open = Vec::new();
        for tag in text.split('<').skip(1) {
            let (tag, after) = tag.split_once('>').expect("a tag ends");
            assert!(!after.contains('>'), "a stray > in {after}");
            let name = tag.trim_start_matches('/').split([' ', '/', '\n']).next().unwrap();
            if tag.starts_with(['?', '!']) || tag.ends_with('/') {
                continue;
            }
            if tag.starts_with('/') {
                assert_eq!(open.pop(), Some(name));
            } else {
                open.push(name);
            }
        }
        assert!(open.is_empty(), "{open:?} is not closed");
    }

    #[test]
    fn svg_is_well_formed_and_shows_all_points() {
        for (x, y) in [
            (Scale::Linear, Scale::Linear),
            (Scale::Log, Scale::Linear),
            (Scale::Linear, Scale::Log),
            (Scale::Log, Scale::Log),
        ] {
            let text = example(x, y).to_svg().unwrap();
            assert_well_formed(&text);
            assert!(text.starts_with("<svg") && text.trim_end().ends_with("</svg>"));
            // 19 points of each series, and one of each in the legend.
            assert_eq!(text.matches("<circle").count(), 40);
            for label in ["time [ms]", "faces &amp; &lt;time&gt;", "some"] {
                assert!(text.contains(label), "{label}");
            }
            assert!(text.contains("\n1000\n") && !text.contains("NaN"));
        }
    }

    #[test]
    fn png_reads_back_and_is_not_blank() {
        let file = example(Scale::Log, Scale::Log).to_png().unwrap();
        let mut reader = png::Decoder::new(std::io::Cursor::new(file)).read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut pixels).unwrap();
        assert_eq!((info.width, info.height), SIZE);
        let of = |color: [u8; 3]| pixels.chunks(3).filter(|pixel| **pixel == color).count();
        assert!(of([0, 114, 178]) > 500 && of([255; 3]) > 100_000);
    }

    #[test]
    fn what_cannot_be_drawn_is_refused() {
        let mut plot = example(Scale::Log, Scale::Linear);
        plot.series[0].points[3][0] = 0.0;
        let error = plot.to_svg().unwrap_err().to_string();
        assert_eq!(error, "`faces` has the value 0, which cannot be drawn on a Log axis");
        plot.series.clear();
        assert_eq!(plot.to_svg().unwrap_err().to_string(), "there is nothing to plot");
        let mut plot = example(Scale::Linear, Scale::Linear);
        plot.series[1].points[0][1] = f64::NAN;
        assert!(plot.to_png().is_err());
    }
}
