//! Networks as tables: one line per node and per link, `#` begins a comment.

use super::{Network, NetworkError, Place, Positions};

pub(super) fn parse(name: &str, text: &str) -> Result<Network, NetworkError> {
    let mut reader = Reader {
        network: Network::empty(name),
        ids: Vec::new(),
    };
    for (number, line) in text.lines().enumerate() {
        let content = line.split('#').next().unwrap_or_default();
        let words: Vec<&str> = content.split_whitespace().collect();
        reader.line(number + 1, &words)?;
    }
    Ok(reader.network)
}

struct Reader<'a> {
    network: Network,
    /// The id of each node.
    ids: Vec<&'a str>,
}

impl<'a> Reader<'a> {
    fn line(&mut self, line: usize, words: &[&'a str]) -> Result<(), NetworkError> {
        match *words {
            [] => Ok(()),
            ["positions", what] => self.positions(line, what),
            ["node", id, name, y, x] => self.node(line, id, name, y, x),
            ["link", a, b, km] => self.link(line, a, b, km),
            ["positions", ..] => Err(count(line, "positions", "degrees|plane", words)),
            ["node", ..] => Err(count(line, "node", "ID NAME LATITUDE LONGITUDE", words)),
            ["link", ..] => Err(count(line, "link", "ID ID KM", words)),
            [other, ..] => {
                let message = format!("expected `positions`, `node` or `link`, got `{other}`");
                Err(NetworkError {
                    line: Some(line),
                    message,
                })
            }
        }
    }

    fn positions(&mut self, line: usize, what: &str) -> Result<(), NetworkError> {
        self.network.positions = match what {
            "degrees" => Positions::Degrees,
            "plane" => Positions::Plane,
            _ => {
                let message = format!("expected `degrees` or `plane`, got `{what}`");
                return Err(NetworkError::at(line, "positions", message));
            }
        };
        Ok(())
    }

    fn node(
        &mut self,
        line: usize,
        id: &'a str,
        name: &str,
        y: &str,
        x: &str,
    ) -> Result<(), NetworkError> {
        if self.ids.contains(&id) {
            let message = format!("expected a new id, got `{id}` twice");
            return Err(NetworkError::at(line, "id", message));
        }
        let (y_most, x_most) = match self.network.positions {
            Positions::Degrees => (90.0, 180.0),
            Positions::Plane => (1e9, 1e9),
        };
        let place = Place {
            name: name.to_owned(),
            y: number(line, "latitude", y, y_most)?,
            x: number(line, "longitude", x, x_most)?,
        };
        self.network
            .add_node(place)
            .map_err(|(field, message)| NetworkError::at(line, field, message))?;
        self.ids.push(id);
        Ok(())
    }

    fn link(&mut self, line: usize, a: &str, b: &str, km: &str) -> Result<(), NetworkError> {
        let ends = [self.known(line, a)?, self.known(line, b)?];
        let km = number(line, "km", km, f64::MAX)?;
        self.network
            .add_link(ends, km)
            .map_err(|(field, message)| NetworkError::at(line, field, message))
    }

    fn known(&self, line: usize, id: &str) -> Result<usize, NetworkError> {
        let known = self.ids.iter().position(|known| *known == id);
        known.ok_or_else(|| {
            let message = format!("expected the id of a node above, got `{id}`");
            NetworkError::at(line, "id", message)
        })
    }
}

/// A number from `-most` to `most`.
fn number(line: usize, field: &str, text: &str, most: f64) -> Result<f64, NetworkError> {
    text.parse::<f64>()
        .ok()
        .filter(|value| (-most..=most).contains(value))
        .ok_or_else(|| {
            let message = if most < 1e9 {
                format!("expected a number from -{most} to {most}, got `{text}`")
            } else {
                format!("expected a number, got `{text}`")
            };
            NetworkError::at(line, field, message)
        })
}

fn count(line: usize, what: &str, form: &str, words: &[&str]) -> NetworkError {
    let got = words.len() - 1;
    NetworkError::at(
        line,
        what,
        format!("expected `{what} {form}`, got {got} fields"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_nodes_then_links() {
        let text = "# head\npositions plane\nnode a A 1 -2.5 # first\n\nnode b B 3 4\nlink b a 7\n";
        let network = parse("two", text).unwrap();
        assert_eq!(network.positions, Positions::Plane);
        let names: Vec<&str> = network.nodes.iter().map(|n| n.name.as_str()).collect();
        assert_eq!(names, ["A", "B"]);
        assert_eq!((network.nodes[0].y, network.nodes[0].x), (1.0, -2.5));
        assert_eq!((network.links[0].ends, network.links[0].km), ([1, 0], 7.0));
    }

    #[test]
    fn faults_name_line_and_field() {
        const HEAD: &str = "node a A 1 2\nnode b B 3 4\n";
        for (line, told) in [
            ("edge a b 1", "`positions`, `node` or `link`, got `edge`"),
            ("positions up", "positions: expected `degrees` or `plane`"),
            ("positions", "positions: expected `positions degrees|plane`"),
            (
                "node c C 1",
                "node: expected `node ID NAME LATITUDE LONGITUDE`, got 3",
            ),
            ("node a C 1 2", "id: expected a new id, got `a`"),
            ("node c A 1 2", "name: expected a new name, got `A`"),
            (
                "node c C 91 2",
                "latitude: expected a number from -90 to 90, got `91`",
            ),
            (
                "node c C 1 NaN",
                "longitude: expected a number from -180 to 180",
            ),
            ("link a b", "link: expected `link ID ID KM`, got 2"),
            ("link a c 1", "id: expected the id of a node above, got `c`"),
            ("link a a 1", "target: expected another node than `A`"),
            ("link a b x", "km: expected a number, got `x`"),
            ("link a b -1", "km: expected from 0 to 40100, got -1"),
            ("link a b inf", "km: expected a number, got `inf`"),
        ] {
            let error = parse("x", &format!("{HEAD}{line}\n")).unwrap_err();
            assert_eq!(error.line, Some(3), "{line}: {error}");
            assert!(error.message.contains(told), "{line}: {error}");
        }
        let twice = parse("x", &format!("{HEAD}link a b 1\nlink b a 2\n")).unwrap_err();
        assert_eq!(twice.line, Some(4));
        assert!(twice.message.contains("`B` to `A` twice"), "{twice}");
    }
}
