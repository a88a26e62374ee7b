//! Errors of results: both ends as a table, the error over each input as a plot, and the
//! source with its lines shaded by their share.

use super::escaped;
use crate::text::Sources;
use crate::words::precision::{short, verdict};
use crate::words::put;
use crate::{ErrorPlot, OutputError, Report};
use std::collections::BTreeMap;

const WIDTH: f64 = 420.0;
const HEIGHT: f64 = 190.0;
const LEFT: f64 = 62.0;
const BOTTOM: f64 = 34.0;

/// Lines of source before the first and after the last that has a share.
const AROUND: u32 = 3;

/// All of it.
pub(super) fn write(page: &mut String, report: &Report, sources: &dyn Sources) {
    if report.errors.is_empty() {
        return;
    }
    page.push_str(
        "<h2 id=\"errors\">Errors of results</h2>\n<table>\n<tr><th>result</th><th class=\"count\">shown rel.</th>\
         <th class=\"count\">proved rel.</th><th class=\"count\">shown abs.</th>\
         <th class=\"count\">proved abs.</th><th>verdict</th></tr>\n",
    );
    for error in &report.errors {
        let shown = error.shown.as_ref();
        let cell = |text: Option<&String>| text.map_or("–".to_string(), |text| short(text));
        put(
            page,
            format_args!(
                "<tr><td><code>{}: {}</code></td><td class=\"count\">{}</td>\
                 <td class=\"count\">{}</td><td class=\"count\">{}</td>\
                 <td class=\"count\">{}</td><td>{}</td></tr>\n",
                escaped(&error.function),
                escaped(&error.output),
                cell(shown.map(|shown| &shown.relative)),
                cell(error.proved.relative.as_ref()),
                cell(shown.map(|shown| &shown.absolute)),
                cell(error.proved.absolute.as_ref()),
                escaped(&verdict(error))
            ),
        );
    }
    page.push_str("</table>\n");
    for error in &report.errors {
        if error.plots.iter().any(|plot| plot.at.len() > 1) {
            put(
                page,
                format_args!(
                    "<h3><code>{}: {}</code> over each input, the others as in the worst case</h3>\n",
                    escaped(&error.function),
                    escaped(&error.output)
                ),
            );
            for plot in error.plots.iter().filter(|plot| plot.at.len() > 1) {
                draw(page, plot);
            }
        }
        shaded(page, error, sources);
    }
}

/// Where inputs and errors stand in a plot.
struct Scales {
    axis: Axis,
    /// The ends of the inputs, on their axis.
    first: f64,
    last: f64,
    /// The ends of the errors, as powers of ten.
    bottom: f64,
    top: f64,
}

/// How inputs lie on their axis.
#[derive(Clone, Copy)]
enum Axis {
    Linear,
    /// One sign, over many powers of ten.
    Logarithmic,
    /// Both signs, over many powers of ten.
    Symmetric,
}

impl Axis {
    fn place(self, x: f64) -> f64 {
        match self {
            Axis::Linear => x,
            Axis::Logarithmic => x.abs().log10() * x.signum(),
            Axis::Symmetric => x.signum() * (1.0 + x.abs()).log10(),
        }
    }
}

impl Scales {
    fn new(plot: &ErrorPlot) -> Scales {
        let (low, high) = (plot.at[0], plot.at[plot.at.len() - 1]);
        let axis = if (low > 0.0 && high / low > 1e3) || (high < 0.0 && low / high > 1e3) {
            Axis::Logarithmic
        } else if high - low > 1e6 {
            Axis::Symmetric
        } else {
            Axis::Linear
        };
        let shown: Vec<f64> = plot.error.iter().copied().filter(|error| *error > 0.0).collect();
        let largest = shown.iter().copied().chain(plot.bound).fold(1e-40, f64::max);
        let least = shown.iter().copied().fold(largest, f64::min).max(largest * 1e-24);
        let bottom = level(least).floor();
        let top = level(largest).ceil().max(bottom + 1.0);
        Scales { axis, first: axis.place(low), last: axis.place(high), bottom, top }
    }

    fn across(&self, x: f64) -> f64 {
        let share = if self.last > self.first {
            (self.axis.place(x) - self.first) / (self.last - self.first)
        } else {
            0.5
        };
        LEFT + share.clamp(0.0, 1.0) * (WIDTH - LEFT - 10.0)
    }

    fn down(&self, error: f64) -> f64 {
        let share =
            (level(error).clamp(self.bottom, self.top) - self.bottom) / (self.top - self.bottom);
        8.0 + (1.0 - share) * (HEIGHT - BOTTOM - 8.0)
    }
}

/// An error as a power of ten.
fn level(error: f64) -> f64 {
    error.max(1e-40).log10()
}

/// A plot as an SVG: the error on a logarithmic scale, the worst point marked, the proved
/// bound as a line.
fn draw(page: &mut String, plot: &ErrorPlot) {
    let scales = Scales::new(plot);
    put(
        page,
        format_args!(
            "<svg class=\"plot\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" \
             height=\"{HEIGHT}\" role=\"img\" aria-label=\"{} over {}\">\n",
            escaped(&plot.measure),
            escaped(&plot.input)
        ),
    );
    draw_grid(page, &scales);
    draw_errors(page, plot, &scales);
    draw_input_axis(page, plot);
}

/// Lines at powers of ten.
fn draw_grid(page: &mut String, scales: &Scales) {
    let step = ((scales.top - scales.bottom) / 4.0).ceil().max(1.0);
    let mut mark = scales.bottom;
    while mark <= scales.top {
        let y = scales.down(10f64.powf(mark));
        put(
            page,
            format_args!(
                "<line class=\"grid\" x1=\"{LEFT}\" y1=\"{y:.1}\" x2=\"{:.1}\" y2=\"{y:.1}\"/>\
                 <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">1e{mark:.0}</text>\n",
                WIDTH - 10.0,
                LEFT - 5.0,
                y + 4.0
            ),
        );
        mark += step;
    }
}

/// The errors of the inputs, the proved bound, and the worst input.
fn draw_errors(page: &mut String, plot: &ErrorPlot, scales: &Scales) {
    for (at, &error) in plot.error.iter().enumerate() {
        if error > 0.0 {
            put(
                page,
                format_args!(
                    "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"2\"/>\n",
                    scales.across(plot.at[at]),
                    scales.down(error)
                ),
            );
        }
    }
    if let Some(bound) = plot.bound {
        let y = scales.down(bound);
        put(
            page,
            format_args!(
                "<line class=\"bound\" x1=\"{LEFT}\" y1=\"{y:.1}\" x2=\"{:.1}\" y2=\"{y:.1}\">\
                 <title>proved: {bound:e}</title></line>\n",
                WIDTH - 10.0
            ),
        );
    }
    let nearest = plot
        .at
        .iter()
        .enumerate()
        .min_by(|a, b| (a.1 - plot.worst).abs().total_cmp(&(b.1 - plot.worst).abs()));
    if let Some((at, &x)) = nearest {
        put(
            page,
            format_args!(
                "<circle class=\"worst\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"4.5\"><title>worst: {} = \
                 {:e}</title></circle>\n",
                scales.across(x),
                scales.down(plot.error[at]),
                escaped(&plot.input),
                plot.worst
            ),
        );
    }
}

fn draw_input_axis(page: &mut String, plot: &ErrorPlot) {
    let (low, high) = (plot.at[0], plot.at[plot.at.len() - 1]);
    let axis = HEIGHT - BOTTOM + 14.0;
    put(
        page,
        format_args!(
            "<text x=\"{LEFT}\" y=\"{axis}\">{low:.3e}</text><text x=\"{:.1}\" y=\"{axis}\" \
             text-anchor=\"end\">{high:.3e}</text><text x=\"{:.1}\" y=\"{:.1}\" \
             text-anchor=\"middle\">{}: {}</text>\n</svg>\n",
            WIDTH - 10.0,
            (WIDTH + LEFT) / 2.0,
            axis + 14.0,
            escaped(&plot.input),
            escaped(&plot.measure)
        ),
    );
}

/// The source, each line as dark as its share of the error is large.
fn shaded(page: &mut String, error: &OutputError, sources: &dyn Sources) {
    let mut shares: BTreeMap<(&str, u32), f64> = BTreeMap::new();
    for source in error.sources.iter().filter(|source| source.place.line > 0) {
        *shares.entry((&source.place.file, source.place.line)).or_default() += source.share;
    }
    let Some((&(file, _), _)) = shares.iter().max_by(|a, b| a.1.total_cmp(b.1)) else { return };
    let lines: Vec<u32> =
        shares.keys().filter(|(other, _)| *other == file).map(|(_, line)| *line).collect();
    let (Some(&first), Some(&last)) = (lines.first(), lines.last()) else { return };
    if last - first > 200 {
        return;
    }
    put(
        page,
        format_args!(
            "<p>Where the error of <code>{}</code> comes from, in <code>{}</code>:</p>\n<pre>",
            escaped(&error.output),
            escaped(file)
        ),
    );
    for number in first.saturating_sub(AROUND).max(1)..=last + AROUND {
        let Some(text) = sources.line(file, number) else { continue };
        let share = shares.get(&(file, number)).copied().unwrap_or(0.0);
        let label =
            if share >= 0.005 { format!("{:>4.0} %", 100.0 * share) } else { "      ".to_string() };
        put(
            page,
            format_args!(
                "<span style=\"background: rgba(207, 34, 46, {:.2})\">{number:>5} {label}  {}</span>\n",
                0.55 * share,
                escaped(&text)
            ),
        );
    }
    page.push_str("</pre>\n");
}
