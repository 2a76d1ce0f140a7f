//! Networks as node-link JSON, as `networkx` writes them and `topohub` ships them.

use serde::Deserialize;

use super::{Network, NetworkError, Place, Positions};

#[derive(Deserialize)]
struct Document {
    nodes: Vec<Node>,
    #[serde(alias = "links")]
    edges: Vec<Edge>,
}

#[derive(Deserialize)]
struct Node {
    id: Id,
    name: Option<String>,
    /// Longitude, latitude.
    pos: [f64; 2],
}

#[derive(Deserialize)]
struct Edge {
    source: Id,
    target: Id,
    /// Kilometres.
    dist: f64,
}

#[derive(Deserialize, PartialEq)]
#[serde(untagged)]
enum Id {
    Number(i64),
    Text(String),
}

impl Id {
    fn shown(&self) -> String {
        match self {
            Self::Number(number) => number.to_string(),
            Self::Text(text) => text.clone(),
        }
    }
}

pub(super) fn parse(name: &str, text: &str) -> Result<Network, NetworkError> {
    let document: Document = serde_json::from_str(text).map_err(|error| NetworkError {
        line: Some(error.line()).filter(|line| *line > 0),
        message: error.to_string(),
    })?;
    let mut network = Network::empty(name);
    let in_degrees = |node: &Node| node.pos[0].abs() <= 180.0 && node.pos[1].abs() <= 90.0;
    if !document.nodes.iter().all(in_degrees) {
        network.positions = Positions::Plane;
    }
    for (number, node) in document.nodes.iter().enumerate() {
        let at = |field: &str, message: &str| fault("nodes", number, field, message);
        if document.nodes[..number]
            .iter()
            .any(|other| other.id == node.id)
        {
            let message = format!("expected a new id, got `{}` twice", node.id.shown());
            return Err(at("id", &message));
        }
        let place = Place {
            name: node.name.clone().unwrap_or_else(|| node.id.shown()),
            y: node.pos[1],
            x: node.pos[0],
        };
        network
            .add_node(place)
            .map_err(|(field, message)| at(field, &message))?;
    }
    for (number, edge) in document.edges.iter().enumerate() {
        let at = |field: &str, message: &str| fault("edges", number, field, message);
        let find = |field: &str, id: &Id| {
            let known = document.nodes.iter().position(|node| node.id == *id);
            known.ok_or_else(|| {
                let message = format!("expected the id of a node, got `{}`", id.shown());
                at(field, &message)
            })
        };
        let ends = [find("source", &edge.source)?, find("target", &edge.target)?];
        network
            .add_link(ends, edge.dist)
            .map_err(|(field, message)| match field {
                "km" => at("dist", &message),
                field => at(field, &message),
            })?;
    }
    Ok(network)
}

fn fault(list: &str, number: usize, field: &str, message: &str) -> NetworkError {
    NetworkError::whole(format!("{list}[{number}].{field}: {message}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWO: &str = r#"{
  "directed": false,
  "nodes": [{"id": 0, "name": "A", "pos": [-2.5, 1]}, {"id": "b", "pos": [4, 3]}],
  "edges": [{"source": "b", "target": 0, "dist": 7}]
}"#;

    #[test]
    fn a_document_is_nodes_and_edges() {
        for text in [TWO, &TWO.replace("edges", "links")] {
            let network = parse("two", text).unwrap();
            assert_eq!(network.positions, Positions::Degrees);
            let names: Vec<&str> = network.nodes.iter().map(|n| n.name.as_str()).collect();
            assert_eq!(
                names,
                ["A", "b"],
                "a node without a name is called by its id"
            );
            assert_eq!((network.nodes[0].y, network.nodes[0].x), (1.0, -2.5));
            assert_eq!((network.links[0].ends, network.links[0].km), ([1, 0], 7.0));
        }
        let far = parse("x", &TWO.replace("[4, 3]", "[400, 3]")).unwrap();
        assert_eq!(far.positions, Positions::Plane);
    }

    #[test]
    fn faults_name_their_place() {
        for (from, to, told) in [
            (
                "\"dist\": 7",
                "\"cost\": 7",
                "missing field `dist` at line 4",
            ),
            (
                "\"dist\": 7",
                "\"dist\": -7",
                "edges[0].dist: expected from 0",
            ),
            (
                "\"target\": 0",
                "\"target\": 9",
                "edges[0].target: expected the id of a node, got `9`",
            ),
            (
                "\"target\": 0",
                "\"target\": \"b\"",
                "edges[0].target: expected another node",
            ),
            (
                "\"id\": \"b\"",
                "\"id\": 0",
                "nodes[1].id: expected a new id, got `0`",
            ),
            (
                "\"id\": \"b\"",
                "\"id\": \"A\"",
                "nodes[1].name: expected a new name, got `A`",
            ),
            ("\"pos\": [4, 3]", "\"pos\": [4]", "line 3"),
            ("\"edges\"", "\"wires\"", "missing field `edges`"),
        ] {
            let text = TWO.replace(from, to);
            assert_ne!(text, TWO, "{from}");
            let error = parse("x", &text).map(|_| ()).unwrap_err().to_string();
            assert!(error.contains(told), "{to}: {error}");
        }
    }
}
