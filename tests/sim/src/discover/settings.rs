//! The settings of discovery as users give them: on the command line, and in `[discover]` of a
//! scenario file. The topology decides which of two experiments they are for.

use std::fs;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use serde::{Deserialize, Deserializer, de};

use super::Discover;
use crate::network::Network;
use crate::plan::FieldError;
use crate::survey::Survey;
use crate::topology::Shape;
use crate::units::{Probability, Span};

/// Octets that the file of a network may have.
const FILE_MAX: u64 = 16 << 20;
/// Pairs of a network up to which all are looked at unless told otherwise.
const ALL_PAIRS: usize = 2_500;
/// Pairs that are looked at if there are more.
const SOME_PAIRS: u32 = 1_000;

/// Settings of either experiment.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Where discovery is looked at.
    pub topology: Where,
    /// Of small graphs: nodes.
    pub nodes: Option<Span>,
    /// Of small graphs: consumers.
    pub consumers: Option<Span>,
    /// Of small graphs: greatest delay of a link in milliseconds.
    pub delay_ms: Option<u32>,
    /// Of networks: pairs of nodes that are drawn.
    pub pairs: Option<u32>,
    /// Of networks: the consumer's node.
    pub from: Option<String>,
    /// Of networks: the producer's node.
    pub to: Option<String>,
    /// Loss on every link.
    pub loss: Probability,
    /// Duplication on every link.
    pub duplicate: Probability,
    /// Milliseconds by which a frame may be late beyond the delay, so that frames overtake.
    pub jitter_ms: u32,
    /// Seconds after which a run ends even if discovery is still going on.
    pub limit_s: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            topology: Where::Shape(Shape::Random),
            nodes: None,
            consumers: None,
            delay_ms: None,
            pairs: None,
            from: None,
            to: None,
            loss: Probability::ZERO,
            duplicate: Probability::ZERO,
            jitter_ms: 0,
            limit_s: 60,
        }
    }
}

/// The experiment that the settings come to.
#[derive(Clone, Debug, PartialEq)]
pub enum Chosen {
    /// Small graphs, with the rank order and without.
    Shapes(Discover),
    /// Networks as they are.
    Networks(Vec<Survey>),
}

impl Settings {
    /// The experiment, checked; files of networks are read.
    ///
    /// # Errors
    /// The first setting that cannot be, or that is none of the experiment's.
    pub fn resolve(&self) -> Result<Chosen, FieldError> {
        let networks = match &self.topology {
            Where::Shape(shape) => return self.shapes(*shape).map(Chosen::Shapes),
            Where::Shipped(name) => vec![shipped(name)?],
            Where::All => Network::names().map(shipped).collect::<Result<_, _>>()?,
            Where::File(path) => vec![read(path)?],
        };
        for (field, given) in [
            ("nodes", self.nodes.is_some()),
            ("consumers", self.consumers.is_some()),
            ("delay_ms", self.delay_ms.is_some()),
        ] {
            refuse(
                field,
                given,
                "a network has its own; only small graphs take it",
            )?;
        }
        let surveys = networks.into_iter().map(|network| self.survey(network));
        surveys.collect::<Result<_, _>>().map(Chosen::Networks)
    }

    fn shapes(&self, topology: Shape) -> Result<Discover, FieldError> {
        for (field, given) in [
            ("pairs", self.pairs.is_some()),
            ("from", self.from.is_some()),
            ("to", self.to.is_some()),
        ] {
            refuse(field, given, "expected a network as topology")?;
        }
        let default = Discover::default();
        let discover = Discover {
            topology,
            nodes: self.nodes.unwrap_or(default.nodes),
            consumers: self.consumers.unwrap_or(default.consumers),
            loss: self.loss,
            duplicate: self.duplicate,
            delay_ms: self.delay_ms.unwrap_or(default.delay_ms),
            jitter_ms: self.jitter_ms,
            limit_s: self.limit_s,
        };
        discover.check()?;
        Ok(discover)
    }

    fn survey(&self, network: Network) -> Result<Survey, FieldError> {
        let nodes = network.nodes.len();
        let many = nodes * (nodes - 1) > ALL_PAIRS;
        let survey = Survey {
            network,
            pairs: self.pairs.or(many.then_some(SOME_PAIRS)),
            from: self.from.clone(),
            to: self.to.clone(),
            loss: self.loss,
            duplicate: self.duplicate,
            jitter_ms: self.jitter_ms,
            limit_s: self.limit_s,
        };
        survey.check()?;
        Ok(survey)
    }
}

fn refuse(field: &'static str, given: bool, why: &str) -> Result<(), FieldError> {
    if given {
        return Err(FieldError::new(field, why));
    }
    Ok(())
}

fn shipped(name: &str) -> Result<Network, FieldError> {
    let unknown = || FieldError::new("topology", format!("there is no network `{name}`"));
    Network::shipped(name).ok_or_else(unknown)
}

fn read(path: &Path) -> Result<Network, FieldError> {
    let told = |error: &dyn std::fmt::Display| {
        FieldError::new("topology", format!("{}: {error}", path.display()))
    };
    let octets = fs::metadata(path).map_err(|error| told(&error))?.len();
    if octets > FILE_MAX {
        return Err(told(&format!(
            "expected at most {FILE_MAX} octets, got {octets}"
        )));
    }
    let text = fs::read_to_string(path).map_err(|error| told(&error))?;
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    Network::parse(&name, &text).map_err(|error| told(&error))
}

/// Where discovery is looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Where {
    /// On small graphs.
    Shape(Shape),
    /// On a network that is shipped.
    Shipped(String),
    /// On each of them.
    All,
    /// On a network of the user's own.
    File(PathBuf),
}

impl FromStr for Where {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Ok(shape) = text.parse() {
            return Ok(Self::Shape(shape));
        }
        if text == "all" {
            return Ok(Self::All);
        }
        if Network::names().any(|name| name == text) {
            return Ok(Self::Shipped(text.to_owned()));
        }
        if text.contains(['.', '/', '\\']) {
            return Ok(Self::File(text.into()));
        }
        let shapes = Shape::ALL.iter().map(|(_, name, _)| *name);
        let known: Vec<&str> = shapes.chain(Network::names()).collect();
        Err(format!(
            "unknown topology `{text}`, expected one of {}, all, or a file as in ./mine.txt",
            known.join(", ")
        ))
    }
}

impl<'de> Deserialize<'de> for Where {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on(topology: &str) -> Settings {
        Settings {
            topology: topology.parse().unwrap(),
            ..Settings::default()
        }
    }

    fn surveys(settings: &Settings) -> Vec<Survey> {
        match settings.resolve() {
            Ok(Chosen::Networks(surveys)) => surveys,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_topology_is_a_shape_a_network_all_or_a_file() {
        assert_eq!(on("ring").topology, Where::Shape(Shape::Ring));
        assert_eq!(on("geant").topology, Where::Shipped("geant".into()));
        assert_eq!(on("./x").topology, Where::File("./x".into()));
        assert_eq!(surveys(&on("all")).len(), 7);
        assert_eq!(surveys(&on("attmpls"))[0].network.nodes.len(), 25);
        assert_eq!(
            Settings::default().resolve(),
            Ok(Chosen::Shapes(Discover::default()))
        );
        let error = "torus".parse::<Where>().unwrap_err();
        assert!(
            error.contains("line, ring") && error.contains("germany50"),
            "{error}"
        );
    }

    #[test]
    fn a_setting_of_the_other_experiment_is_refused_by_name() {
        let field = |settings: Settings| settings.resolve().unwrap_err().field;
        let span = Some(Span::one(4));
        assert_eq!(
            field(Settings {
                nodes: span,
                ..on("geant")
            }),
            "nodes"
        );
        assert_eq!(
            field(Settings {
                consumers: span,
                ..on("geant")
            }),
            "consumers"
        );
        assert_eq!(
            field(Settings {
                delay_ms: Some(1),
                ..on("geant")
            }),
            "delay_ms"
        );
        assert_eq!(
            field(Settings {
                pairs: Some(1),
                ..on("ring")
            }),
            "pairs"
        );
        assert_eq!(
            field(Settings {
                from: Some("n1".into()),
                ..on("ring")
            }),
            "from"
        );
        assert_eq!(
            field(Settings {
                pairs: Some(0),
                ..on("geant")
            }),
            "pairs"
        );
        assert_eq!(
            field(Settings {
                to: Some("x".into()),
                ..on("geant")
            }),
            "to"
        );
        assert_eq!(field(on("./no-such-file")), "topology");
    }
}
