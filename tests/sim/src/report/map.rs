//! A network drawn as it lies, with the disjoint paths that were found between two of its nodes.

mod label;

use std::fmt::Write as _;

use self::label::{Area, Label, width};
use super::escape;
use crate::network::{Network, Positions};
use crate::survey::Pair;

const WIDTH: f64 = 960.0;
const MARGIN: f64 = 46.0;
/// Height of a line of the legend.
const LINE: f64 = 20.0;
/// Where the text of the legend begins.
const LEGEND: f64 = 68.0;
const INK: &str = "#222222";

/// Colour and dashes of each path. They differ in lightness from one to the next, and in dashes,
/// so that they can be told apart in grey.
const STROKES: [(&str, &str); 8] = [
    ("#003f7f", ""),
    ("#e69f00", ""),
    ("#8c2d6a", "9 4"),
    ("#3aa0dc", "9 4"),
    ("#00614a", "3 3"),
    ("#d55e00", "3 3"),
    ("#444444", "12 3 3 3"),
    ("#b58bc9", "12 3 3 3"),
];

type Point = (f64, f64);

/// The drawing as SVG text, whole: it can stand in a page or in a file of its own.
#[must_use]
pub fn map_svg(network: &Network, pair: &Pair) -> String {
    let mut svg = String::new();
    // Writing to a string cannot fail.
    let _ = Drawing::new(network, pair).write(&mut svg);
    svg
}

struct Drawing<'a> {
    network: &'a Network,
    pair: &'a Pair,
    places: Vec<Point>,
    height: f64,
    /// Each path in words, in lines that fit the legend.
    routes: Vec<Vec<String>>,
}

impl<'a> Drawing<'a> {
    fn new(network: &'a Network, pair: &'a Pair) -> Self {
        let routes: Vec<Vec<String>> = pair.paths.iter().map(|p| route(network, p)).collect();
        let lines: usize = routes.iter().map(Vec::len).sum();
        let top = LINE * (lines + 3) as f64 + 14.0;
        let (places, height) = project(network, top);
        Self {
            network,
            pair,
            places,
            height,
            routes,
        }
    }

    fn write(&self, svg: &mut String) -> std::fmt::Result {
        let height = self.height;
        let (from, to) = (self.name(self.pair.from), self.name(self.pair.to));
        write!(
            svg,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height:.0}\" \
             width=\"{WIDTH}\" height=\"{height:.0}\" role=\"img\" \
             font-family=\"sans-serif\" font-size=\"13\" fill=\"{INK}\">\n\
             <title>{}: disjoint paths from {from} to {to}</title>\n\
             <rect width=\"{WIDTH}\" height=\"{height:.0}\" fill=\"#ffffff\"/>\n",
            escape(&self.network.name)
        )?;
        self.links(svg)?;
        self.paths(svg)?;
        self.nodes(svg)?;
        self.legend(svg)?;
        svg.push_str("</svg>\n");
        Ok(())
    }

    fn name(&self, node: usize) -> String {
        escape(&self.network.nodes[node].name)
    }

    /// All links; those that lie in a valid upstream edge are darker and point upstream.
    fn links(&self, svg: &mut String) -> std::fmt::Result {
        for link in &self.network.links {
            let [a, b] = link.ends;
            let valid = |from, to| self.pair.edges.contains(&(from, to));
            let (from, to) = if valid(b, a) { (b, a) } else { (a, b) };
            let is_valid = valid(from, to);
            let colour = if is_valid { "#8a8a8a" } else { "#d8d8d8" };
            line(svg, self.places[from], self.places[to], colour, 1.4, "")?;
            if is_valid {
                arrow(svg, self.places[from], self.places[to], colour, 5.0)?;
            }
        }
        Ok(())
    }

    fn paths(&self, svg: &mut String) -> std::fmt::Result {
        for (number, path) in self.pair.paths.iter().enumerate() {
            let (colour, dashes) = STROKES[number % STROKES.len()];
            let route = escape(&self.routes[number].concat());
            writeln!(svg, "<g><title>{route}</title>")?;
            for step in path.windows(2) {
                let (from, to) = (self.places[step[0]], self.places[step[1]]);
                line(svg, from, to, colour, 4.0, dashes)?;
                arrow(svg, from, to, colour, 9.0)?;
            }
            svg.push_str("</g>\n");
        }
        Ok(())
    }

    /// Consumer square, producer diamond, all others round; names where there is room.
    fn nodes(&self, svg: &mut String) -> std::fmt::Result {
        let mut taken = self.obstacles();
        for (node, (x, y)) in self.places.iter().enumerate() {
            let special = node == self.pair.from || node == self.pair.to;
            match (node == self.pair.from, node == self.pair.to) {
                (true, _) => write!(
                    svg,
                    "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"16\" height=\"16\" fill=\"{INK}\"/>",
                    x - 8.0,
                    y - 8.0
                )?,
                (_, true) => write!(
                    svg,
                    "<path d=\"M{x:.1} {:.1}l11 11l-11 11l-11 -11z\" fill=\"{INK}\"/>",
                    y - 11.0
                )?,
                _ => write!(
                    svg,
                    "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"5\" fill=\"#ffffff\" stroke=\"{INK}\"/>"
                )?,
            }
            let name = self.name(node);
            let label = Label::place((*x, *y), &self.network.nodes[node].name, &taken);
            taken.push(label.area);
            let weight = if special { " font-weight=\"bold\"" } else { "" };
            writeln!(
                svg,
                "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"{}\"{weight} paint-order=\"stroke\" \
                 stroke=\"#ffffff\" stroke-width=\"3\" stroke-linejoin=\"round\">{name}</text>",
                label.at.0, label.at.1, label.anchor
            )?;
        }
        Ok(())
    }

    /// What labels had better not cover: nodes, and points along the paths.
    fn obstacles(&self) -> Vec<Area> {
        let nodes = self.places.iter().map(|at| Area::around(*at, 7.0, 7.0));
        let steps = self.pair.paths.iter().flat_map(|path| path.windows(2));
        let along = steps.flat_map(|step| {
            let (a, b) = (self.places[step[0]], self.places[step[1]]);
            (1..16).map(move |n| Area::around(between(a, b, f64::from(n) / 16.0), 3.0, 3.0))
        });
        nodes.chain(along).collect()
    }

    fn legend(&self, svg: &mut String) -> std::fmt::Result {
        let pair = self.pair;
        let (from, to) = (self.name(pair.from), self.name(pair.to));
        writeln!(
            svg,
            "<text x=\"16\" y=\"24\" font-size=\"15\">{}: what {from} (square) finds towards {to} (diamond)</text>",
            escape(&self.network.name)
        )?;
        let mut y = 24.0 + LINE;
        for (number, route) in self.routes.iter().enumerate() {
            let (colour, dashes) = STROKES[number % STROKES.len()];
            line(svg, (16.0, y - 4.0), (60.0, y - 4.0), colour, 4.0, dashes)?;
            for words in route {
                let words = escape(words);
                writeln!(svg, "<text x=\"{LEGEND}\" y=\"{y}\">{words}</text>")?;
                y += LINE;
            }
        }
        line(svg, (16.0, y - 4.0), (60.0, y - 4.0), "#8a8a8a", 1.4, "")?;
        arrow(svg, (16.0, y - 4.0), (60.0, y - 4.0), "#8a8a8a", 5.0)?;
        writeln!(
            svg,
            "<text x=\"{LEGEND}\" y=\"{y}\">other valid upstreams; pale: links that are not used. \
             Disjoint paths: {} found of {} eligible, {} in the whole network, {} by ECMP</text>",
            pair.found, pair.eligible, pair.whole, pair.ecmp
        )
    }
}

/// A path in words, in lines that fit the legend.
fn route(network: &Network, path: &[usize]) -> Vec<String> {
    let mut lines = vec![String::new()];
    for (place, node) in path.iter().enumerate() {
        let dash = if place + 1 < path.len() { " – " } else { "" };
        let step = format!("{}{dash}", network.nodes[*node].name);
        match lines.last_mut() {
            Some(line) if LEGEND + width(line) + width(&step) <= WIDTH - 8.0 => {
                line.push_str(&step);
            }
            _ => lines.push(step),
        }
    }
    lines
}

/// Where nodes are drawn, `top` being left free, and the height of the drawing. A degree of
/// longitude is as wide as it is in the middle of the network.
fn project(network: &Network, top: f64) -> (Vec<Point>, f64) {
    let ends = |values: &dyn Fn(usize) -> f64| {
        let all = (0..network.nodes.len()).map(values);
        all.fold((f64::MAX, f64::MIN), |(low, high), v| {
            (low.min(v), high.max(v))
        })
    };
    let (south, north) = ends(&|node| network.nodes[node].y);
    let (west, east) = ends(&|node| network.nodes[node].x);
    let narrowing = match network.positions {
        Positions::Degrees => f64::midpoint(south, north).to_radians().cos().max(0.1),
        Positions::Plane => 1.0,
    };
    let (wide, high) = (
        ((east - west) * narrowing).max(1e-9),
        (north - south).max(1e-9),
    );
    let room = WIDTH - 2.0 * MARGIN;
    let scale = (room / wide).min(760.0 / high);
    let left = MARGIN + (room - wide * scale) / 2.0;
    let places = network
        .nodes
        .iter()
        .map(|node| {
            let x = left + (node.x - west) * narrowing * scale;
            (x, top + MARGIN / 2.0 + (north - node.y) * scale)
        })
        .collect();
    (places, top + MARGIN * 1.5 + high * scale)
}

fn between(a: Point, b: Point, share: f64) -> Point {
    (a.0 + (b.0 - a.0) * share, a.1 + (b.1 - a.1) * share)
}

fn line(
    svg: &mut String,
    a: Point,
    b: Point,
    colour: &str,
    width: f64,
    dashes: &str,
) -> std::fmt::Result {
    let dashes = if dashes.is_empty() {
        String::new()
    } else {
        format!(" stroke-dasharray=\"{dashes}\"")
    };
    writeln!(
        svg,
        "<path d=\"M{:.1} {:.1}L{:.1} {:.1}\" stroke=\"{colour}\" stroke-width=\"{width}\"{dashes}/>",
        a.0, a.1, b.0, b.1
    )
}

/// A head of an arrow a little beyond the middle of a line.
fn arrow(svg: &mut String, a: Point, b: Point, colour: &str, size: f64) -> std::fmt::Result {
    let length = (b.0 - a.0).hypot(b.1 - a.1);
    if length < 3.0 * size {
        return Ok(());
    }
    let tip = between(a, b, 0.56 + size / length / 2.0);
    let back = between(tip, a, size * 1.3 / length.max(1.0));
    let across = (
        (b.1 - a.1) / length * size * 0.7,
        (a.0 - b.0) / length * size * 0.7,
    );
    writeln!(
        svg,
        "<path d=\"M{:.1} {:.1}L{:.1} {:.1}L{:.1} {:.1}z\" fill=\"{colour}\"/>",
        tip.0,
        tip.1,
        back.0 + across.0,
        back.1 + across.1,
        back.0 - across.0,
        back.1 - across.1
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn north_is_up_and_east_is_right() {
        let network = Network::shipped("abilene").unwrap();
        let (places, height) = project(&network, 100.0);
        let at = |name: &str| places[network.node(name).unwrap()];
        assert!(at("STTLng").1 < at("LOSAng").1);
        assert!(at("LOSAng").0 < at("NYCMng").0);
        for (x, y) in &places {
            assert!((MARGIN - 0.1..=WIDTH - MARGIN + 0.1).contains(x), "{x}");
            assert!((100.0..=height).contains(y), "{y}");
        }
    }

    #[test]
    fn a_long_route_goes_on_in_the_next_line() {
        let network = Network::shipped("germany50").unwrap();
        let path: Vec<usize> = (0..30).collect();
        let lines = route(&network, &path);
        assert!(lines.len() > 1);
        for line in &lines {
            assert!(LEGEND + width(line) <= WIDTH, "{line}");
        }
        let names: Vec<&str> = network.nodes.iter().map(|node| &*node.name).collect();
        assert_eq!(lines.concat(), names[..30].join(" – "));
        assert_eq!(route(&network, &path[..2]).len(), 1);
    }
}
