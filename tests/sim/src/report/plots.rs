//! Plots as SVG text.

use plotters::coord::Shift;
use plotters::prelude::*;

use crate::plan::Plan;
use crate::run::{RunResult, SAMPLE};
use crate::stats::mean;
use crate::topology::Role;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type PlotResult = Result<String, Box<dyn std::error::Error>>;

const SIZE: (u32, u32) = (960, 400);
const INK: RGBColor = RGBColor(0x22, 0x22, 0x22);
const PALE: RGBColor = RGBColor(0xcc, 0xcc, 0xcc);

/// Colours that differ in lightness too, so that they can be told apart in grey.
const COLOURS: [RGBColor; 8] = [
    RGBColor(0x00, 0x3f, 0x7f),
    RGBColor(0xd5, 0x5e, 0x00),
    RGBColor(0x00, 0x9e, 0x73),
    RGBColor(0xe6, 0x9f, 0x00),
    RGBColor(0x8c, 0x2d, 0x6a),
    RGBColor(0x56, 0xb4, 0xe9),
    RGBColor(0x55, 0x55, 0x55),
    RGBColor(0xcc, 0x79, 0xa7),
];

fn colour(number: usize) -> RGBColor {
    COLOURS[number % COLOURS.len()]
}

/// One line of a plot.
struct Series {
    label: Option<String>,
    colour: RGBColor,
    width: u32,
    points: Vec<(f64, f64)>,
}

struct Axes {
    legend: SeriesLabelPosition,
    x: &'static str,
    y: &'static str,
    x_max: f64,
    y_max: f64,
}

fn svg(
    size: (u32, u32),
    draw: impl FnOnce(&Area<'_>) -> Result<(), Box<dyn std::error::Error>>,
) -> PlotResult {
    let mut text = String::new();
    {
        let area = SVGBackend::with_string(&mut text, size).into_drawing_area();
        draw(&area)?;
        area.present()?;
    }
    Ok(text)
}

fn lines(axes: &Axes, series: Vec<Series>) -> PlotResult {
    svg(SIZE, |area| {
        let mut chart = ChartBuilder::on(area)
            .margin(12)
            .margin_right(24)
            .x_label_area_size(48)
            .y_label_area_size(64)
            .build_cartesian_2d(0.0..axes.x_max.max(1e-3), 0.0..axes.y_max.max(1e-3))?;
        chart
            .configure_mesh()
            .x_desc(axes.x)
            .y_desc(axes.y)
            .label_style(("sans-serif", 15))
            .axis_desc_style(("sans-serif", 16))
            .light_line_style(WHITE)
            .bold_line_style(RGBColor(0xe4, 0xe4, 0xe4))
            .draw()?;
        let mut named = false;
        for line in series {
            let style = line.colour.stroke_width(line.width);
            let drawn = chart.draw_series(LineSeries::new(line.points, style))?;
            if let Some(label) = line.label {
                named = true;
                drawn.label(label).legend(move |(x, y)| {
                    PathElement::new(vec![(x, y), (x + 22, y)], style.stroke_width(3))
                });
            }
        }
        if named {
            chart
                .configure_series_labels()
                .position(axes.legend.clone())
                .background_style(WHITE.mix(0.85))
                .border_style(PALE)
                .label_font(("sans-serif", 15))
                .draw()?;
        }
        Ok(())
    })
}

/// Octets in one sample as Mbit/s.
fn mbps(octets: f64) -> f64 {
    octets * 8.0 / SAMPLE.as_secs_f64() / 1e6
}

/// Goodput of each fetch over time, a quarter of a second to a point; a colour per group.
pub(crate) fn goodput(run: &RunResult, group_names: &[String]) -> PlotResult {
    const MERGED: usize = 5;
    let step = SAMPLE.as_secs_f64() * MERGED as f64;
    let mut named = vec![false; group_names.len()];
    let mut top: f64 = 0.0;
    let series: Vec<Series> = run
        .goodput
        .iter()
        .zip(&run.flows)
        .map(|(samples, flow)| {
            let points: Vec<(f64, f64)> = samples
                .chunks(MERGED)
                .enumerate()
                .map(|(at, chunk)| {
                    let values: Vec<f64> = chunk.iter().map(|octets| *octets as f64).collect();
                    ((at as f64 + 0.5) * step, mbps(mean(&values)))
                })
                .collect();
            top = points.iter().fold(top, |top, point| top.max(point.1));
            let first = named
                .get_mut(flow.group)
                .is_some_and(|named| !std::mem::replace(named, true));
            Series {
                label: first.then(|| format!("fetches of {}", group_names[flow.group])),
                colour: colour(flow.group),
                width: 1,
                points,
            }
        })
        .collect();
    let axes = Axes {
        legend: SeriesLabelPosition::UpperRight,
        x: "time [s]",
        y: "goodput of a fetch [Mbit/s]",
        x_max: run.ended.since_epoch().as_secs_f64(),
        y_max: top * 1.15,
    };
    lines(&axes, series)
}

/// Share of fetches that were complete after so long, per system.
pub(crate) fn completion(systems: &[(&str, Vec<f64>)], limit: f64) -> PlotResult {
    let longest = systems
        .iter()
        .flat_map(|(_, times)| times)
        .fold(limit, |a, b| a.max(*b));
    let mut series: Vec<Series> = systems
        .iter()
        .enumerate()
        .map(|(number, (name, times))| {
            let mut sorted = times.clone();
            sorted.sort_by(f64::total_cmp);
            let share = |done: usize| 100.0 * done as f64 / sorted.len().max(1) as f64;
            let mut points = vec![(0.0, 0.0)];
            for (done, time) in sorted.iter().enumerate() {
                points.extend([(*time, share(done)), (*time, share(done + 1))]);
            }
            points.push((longest * 1.1, 100.0));
            Series {
                label: Some((*name).to_owned()),
                colour: colour(number),
                width: 2,
                points,
            }
        })
        .collect();
    if limit > 0.0 {
        series.push(Series {
            label: Some("wire limit".into()),
            colour: COLOURS[1],
            width: 1,
            points: vec![(limit, 0.0), (limit, 100.0)],
        });
    }
    let axes = Axes {
        legend: SeriesLabelPosition::UpperLeft,
        x: "completion time [s]",
        y: "fetches complete [%]",
        x_max: longest * 1.1,
        y_max: 105.0,
    };
    lines(&axes, series)
}

/// Mean and greatest of the drawn queues over time, in groups of those that lead to one node.
pub(crate) fn queues(plan: &Plan, run: &RunResult) -> PlotResult {
    let ports = plan.topology.ports();
    let target = |number: usize| {
        let queue = &plan.queues[number];
        ports[queue.node][queue.port].peer
    };
    let mut targets: Vec<usize> = (0..plan.queues.len()).map(target).collect();
    targets.sort_unstable();
    targets.dedup();
    let samples = run.queues.iter().map(Vec::len).max().unwrap_or(0);
    let step = SAMPLE.as_secs_f64();
    let mut top: f64 = 0.0;
    let mut series = Vec::new();
    for (number, node) in targets.iter().enumerate() {
        let of_node: Vec<&Vec<usize>> = (0..plan.queues.len())
            .filter(|queue| target(*queue) == *node)
            .map(|queue| &run.queues[queue])
            .collect();
        let at = |sample: usize| -> Vec<f64> {
            of_node
                .iter()
                .filter_map(|queue| queue.get(sample))
                .map(|n| *n as f64)
                .collect()
        };
        let time = |sample: usize| (sample + 1) as f64 * step;
        let name = &plan.topology.nodes[*node].name;
        let greatest: Vec<(f64, f64)> = (0..samples)
            .map(|sample| (time(sample), crate::stats::max(&at(sample))))
            .collect();
        top = greatest.iter().fold(top, |top, point| top.max(point.1));
        series.push(Series {
            label: None,
            colour: colour(number),
            width: 1,
            points: greatest,
        });
        series.push(Series {
            label: Some(format!("towards {name}: mean (thick), longest (thin)")),
            colour: colour(number),
            width: 3,
            points: (0..samples)
                .map(|sample| (time(sample), mean(&at(sample))))
                .collect(),
        });
    }
    let axes = Axes {
        legend: SeriesLabelPosition::UpperRight,
        x: "time [s]",
        y: "packets waiting per link",
        x_max: run.ended.since_epoch().as_secs_f64(),
        y_max: top * 1.2,
    };
    lines(&axes, series)
}

/// The topology, and in colour the valid upstream edges of the first fetch of each group.
pub(crate) fn paths(plan: &Plan, run: &RunResult) -> PlotResult {
    let (places, height) = layout(plan);
    let mut shown: Vec<usize> = Vec::new();
    for flow in 0..run.flows.len() {
        if shown
            .iter()
            .all(|other| run.flows[*other].group != run.flows[flow].group)
            && shown.len() < 4
        {
            shown.push(flow);
        }
    }
    svg((960, height), |area| {
        for link in &plan.topology.links {
            let ends = link.ends.map(|end| places[end]);
            area.draw(&PathElement::new(ends.to_vec(), PALE.stroke_width(1)))?;
        }
        for (number, flow) in shown.iter().enumerate() {
            let style = colour(number).stroke_width(2);
            let offset = 3 * i32::try_from(number).unwrap_or(0);
            for (from, to) in &run.edges[*flow] {
                let shift = |(x, y): (i32, i32)| (x, y + offset);
                let ends = vec![shift(places[*from]), shift(places[*to])];
                area.draw(&PathElement::new(ends, style))?;
            }
            let at = (20, 18 * (i32::try_from(number).unwrap_or(0) + 1));
            area.draw(&PathElement::new(
                vec![(at.0, at.1), (at.0 + 24, at.1)],
                style,
            ))?;
            let font = ("sans-serif", 15).into_font().color(&INK);
            area.draw(&Text::new(title(plan, *flow), (at.0 + 32, at.1 - 8), font))?;
        }
        for (node, place) in plan.topology.nodes.iter().zip(&places) {
            let fill = match node.role {
                Role::Core => WHITE,
                Role::Server => RGBColor(0xff, 0xe2, 0xb8),
                Role::Client => RGBColor(0xd6, 0xe9, 0xd0),
            };
            area.draw(&Circle::new(*place, 6, fill.filled()))?;
            area.draw(&Circle::new(*place, 6, INK.stroke_width(1)))?;
            let style = ("sans-serif", 13).into_font().color(&INK);
            let dx = if node.role == Role::Server { -70 } else { 10 };
            area.draw(&Text::new(
                node.name.clone(),
                (place.0 + dx, place.1 - 7),
                style,
            ))?;
        }
        Ok(())
    })
}

fn title(plan: &Plan, flow: usize) -> String {
    let flow = &plan.flows[flow];
    let name = |node: usize| plan.topology.nodes[node].name.as_str();
    let producer = plan.producers[flow.producer].node;
    format!(
        "valid upstreams for {} at {}",
        name(producer),
        name(flow.node)
    )
}

/// Where nodes are drawn, and how high the drawing is: servers, core and clients in columns if
/// there are all three, else on a circle.
fn layout(plan: &Plan) -> (Vec<(i32, i32)>, u32) {
    let nodes = &plan.topology.nodes;
    let count = |role: Role| nodes.iter().filter(|node| node.role == role).count();
    let columns = [Role::Server, Role::Core, Role::Client];
    let most = columns.map(count).into_iter().max().unwrap_or(0);
    if columns.iter().any(|role| count(*role) == 0) {
        return circle(nodes.len());
    }
    let height = 120 + 34 * i32::try_from(most).unwrap_or(0);
    let mut so_far = [0; 3];
    let places = nodes
        .iter()
        .map(|node| {
            let column = columns
                .iter()
                .position(|role| *role == node.role)
                .unwrap_or(0);
            so_far[column] += 1;
            let share = f64::from(so_far[column]) / (count(node.role) + 1) as f64;
            // The core bows out, so that its mesh does not fall on one line.
            let bow = if column == 1 {
                120.0 * (std::f64::consts::PI * share).sin()
            } else {
                0.0
            };
            let x = [110, 380, 780][column] + pixel(bow);
            (x, 60 + pixel(f64::from(height - 80) * share))
        })
        .collect();
    (places, u32::try_from(height).unwrap_or(800))
}

fn circle(n: usize) -> (Vec<(i32, i32)>, u32) {
    let places = (0..n)
        .map(|node| {
            let angle = std::f64::consts::TAU * node as f64 / n.max(1) as f64;
            (
                480 + pixel(320.0 * angle.cos()),
                300 + pixel(220.0 * angle.sin()),
            )
        })
        .collect();
    (places, 600)
}

#[expect(clippy::cast_possible_truncation, reason = "coordinates of a drawing")]
fn pixel(value: f64) -> i32 {
    value.round() as i32
}
