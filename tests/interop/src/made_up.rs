//! Packets made up from a seed: as fields, to be written by any stack; as octets, by the generator of
//! `mars-wire`.

use mars_wire::sample::ValidPacket;
use serde_json::Value;

use crate::fields::{Fields, component_text, hex};

/// Octets that look random and are the same for the same seed on every machine.
struct Dice(u64);

impl Dice {
    fn new(seed: u64) -> Self {
        let mut dice = Self(seed);
        dice.octet();
        dice
    }

    fn octet(&mut self) -> u8 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        self.0.to_be_bytes()[0]
    }

    fn below(&mut self, limit: u8) -> u8 {
        self.octet() % limit
    }

    fn yes(&mut self) -> bool {
        self.below(2) == 1
    }

    fn octets(&mut self, most: u8) -> Vec<u8> {
        let len = u16::from(self.octet()) % (u16::from(most) + 1);
        (0..len).map(|_| self.octet()).collect()
    }

    /// Of any width up to 52 bits: more than that no number of JavaScript holds.
    fn number(&mut self) -> u64 {
        let width = [8, 16, 32, 52][usize::from(self.below(4))];
        let octets = core::array::from_fn(|_| self.octet());
        u64::from_be_bytes(octets) >> (64 - width)
    }

    /// A component of a type that every stack writes as it should.
    fn component(&mut self) -> Value {
        let typ = [8, 8, 8, 32, 50, 52, 54, 56, 58][usize::from(self.below(9))];
        let value = match typ {
            8 | 32 => self.octets(12),
            _ => mars_wire::Number::new(self.number()).as_slice().to_vec(),
        };
        component_text(typ, &value)
    }

    fn name(&mut self) -> Value {
        let len = 1 + self.below(6);
        (0..len).map(|_| self.component()).collect()
    }
}

/// Fields of a signed Data, of an Interest or of a Nack.
#[must_use]
pub fn fields(seed: u64) -> Fields {
    let mut dice = Dice::new(seed);
    let mut out = Fields::new();
    let kind = ["interest", "data", "nack"][usize::from(dice.below(3))];
    out.insert("kind".to_owned(), kind.into());
    out.insert("name".to_owned(), dice.name());
    let mut maybe = |key: &str, make: &mut dyn FnMut(&mut Dice) -> Value| {
        if dice.yes() {
            out.insert(key.to_owned(), make(&mut dice));
        }
    };
    let mut number = |dice: &mut Dice| dice.number().to_string().into();
    let mut flag = |_: &mut Dice| true.into();
    if kind == "data" {
        maybe("content_type", &mut number);
        maybe("freshness", &mut number);
        maybe("final_block", &mut Dice::component);
        maybe("content", &mut |dice| hex(&dice.octets(255)).into());
    } else {
        maybe("can_be_prefix", &mut flag);
        maybe("must_be_fresh", &mut flag);
        maybe("hint", &mut |dice| vec![dice.name(), dice.name()].into());
        maybe("nonce", &mut |dice| {
            (dice.number() & 0xFFFF_FFFF).to_string().into()
        });
        maybe("lifetime", &mut number);
        maybe("hop_limit", &mut |dice| dice.octet().to_string().into());
        maybe("parameters", &mut |dice| hex(&dice.octets(40)).into());
    }
    maybe("pit_token", &mut |dice| {
        hex(&[vec![dice.octet()], dice.octets(31)].concat()).into()
    });
    maybe("congestion_mark", &mut |dice| {
        (dice.number() + 1).to_string().into()
    });
    if kind == "nack" {
        let reason = ["", "50", "100", "150", "7"][usize::from(dice.below(5))];
        out.insert("nack".to_owned(), reason.into());
    }
    if kind == "data" || out.contains_key("parameters") && dice.yes() {
        sign(&mut dice, &mut out, kind != "data");
    }
    out
}

fn sign(dice: &mut Dice, out: &mut Fields, interest: bool) {
    let scheme = ["0", "4", "5"][usize::from(dice.below(3))];
    out.insert("sig_type".to_owned(), scheme.into());
    if scheme != "0" {
        out.insert("key_name".to_owned(), dice.name());
    }
    if interest && dice.yes() {
        let nonce: [u8; 8] = core::array::from_fn(|_| dice.octet());
        out.insert("sig_nonce".to_owned(), hex(&nonce).into());
        out.insert("sig_time".to_owned(), dice.number().to_string().into());
        out.insert("sig_seq".to_owned(), dice.number().to_string().into());
    }
}

/// A datagram of the generator of `mars-wire`.
#[must_use]
pub fn packet(seed: u64) -> Vec<u8> {
    let mut dice = Dice::new(seed);
    let tape: Vec<u8> = (0..300).map(|_| dice.octet()).collect();
    ValidPacket::from_tape(&tape).octets
}
