//! Names beside nodes, where there is room.

use super::{Point, WIDTH};

/// Pixels that a text takes at most.
pub(super) fn width(text: &str) -> f64 {
    let wide = |c: char| if c.is_uppercase() { 9.6 } else { 7.4 };
    text.chars().map(wide).sum()
}

#[derive(Clone, Copy)]
pub(super) struct Area {
    left: f64,
    top: f64,
    right: f64,
    bottom: f64,
}

impl Area {
    pub(super) fn around((x, y): Point, dx: f64, dy: f64) -> Self {
        Self {
            left: x - dx,
            top: y - dy,
            right: x + dx,
            bottom: y + dy,
        }
    }

    /// Square pixels that both cover.
    fn overlap(&self, other: &Self) -> f64 {
        let wide = self.right.min(other.right) - self.left.max(other.left);
        let high = self.bottom.min(other.bottom) - self.top.max(other.top);
        wide.max(0.0) * high.max(0.0)
    }

    /// Pixels by which it sticks out to the left or right.
    fn outside(&self) -> f64 {
        (4.0 - self.left).max(0.0) + (self.right - WIDTH + 4.0).max(0.0)
    }
}

/// A name beside a node.
pub(super) struct Label {
    pub(super) at: Point,
    pub(super) anchor: &'static str,
    pub(super) area: Area,
}

impl Label {
    /// The place out of eight around the node that covers least of what is there.
    pub(super) fn place((x, y): Point, name: &str, taken: &[Area]) -> Self {
        let wide = width(name);
        let beside = [(1.0, 0.0), (-1.0, 0.0), (0.0, -1.0), (0.0, 1.0)];
        let corners = [(1.0, -1.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 1.0)];
        let labels = beside
            .into_iter()
            .chain(corners)
            .map(|(dx, dy): (f64, f64)| {
                let (reach, rise) = if dx == 0.0 { (0.0, 15.0) } else { (11.0, 10.0) };
                let (anchor, shift) = match dx {
                    dx if dx > 0.0 => ("start", 0.5),
                    dx if dx < 0.0 => ("end", -0.5),
                    _ => ("middle", 0.0),
                };
                let at = (x + dx * reach, y + dy * rise + 4.5);
                let middle = (at.0 + shift * wide, at.1 - 4.5);
                Self {
                    at,
                    anchor,
                    area: Area::around(middle, wide / 2.0, 7.0),
                }
            });
        let cost = |label: &Self| {
            let covered: f64 = taken.iter().map(|area| area.overlap(&label.area)).sum();
            covered + 1_000.0 * label.area.outside()
        };
        let right = Self {
            at: (x + 11.0, y + 4.5),
            anchor: "start",
            area: Area::around((x + 11.0 + wide / 2.0, y), wide / 2.0, 7.0),
        };
        let best = labels.min_by(|a, b| cost(a).total_cmp(&cost(b)));
        best.unwrap_or(right)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_moves_away_from_what_is_there() {
        let free = Label::place((480.0, 300.0), "name", &[]);
        assert_eq!(free.anchor, "start");
        let blocked = Label::place((480.0, 300.0), "name", &[free.area]);
        assert_ne!((blocked.at, blocked.anchor), (free.at, free.anchor));
        assert!(blocked.area.overlap(&free.area) < 1.0);
        let edge = Label::place((WIDTH - 8.0, 300.0), "name", &[]);
        assert_eq!(edge.anchor, "end");
    }
}
