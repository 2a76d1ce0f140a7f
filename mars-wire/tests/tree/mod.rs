//! A packet as a tree of elements that can be written again with one TYPE or LENGTH spoilt, all
//! lengths around it made right. It knows which elements hold elements, and nothing else.

/// One TYPE or LENGTH in a form of so many octets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Type(usize),
    Length(usize),
}

impl Form {
    pub(crate) const ALL: [Self; 6] = [
        Self::Type(3),
        Self::Type(5),
        Self::Type(9),
        Self::Length(3),
        Self::Length(5),
        Self::Length(9),
    ];
}

/// What to spoil.
#[derive(Clone, Copy)]
pub(crate) enum Spoil {
    Form(Form),
    Length(u64),
    Type(u64),
}

#[derive(Debug)]
struct Element {
    typ: u64,
    value: Value,
}

#[derive(Debug)]
enum Value {
    Octets(Vec<u8>),
    Elements(Vec<Element>),
}

/// A whole datagram; its elements are numbered from the outside in, from the front to the back.
#[derive(Debug)]
pub(crate) struct Tree {
    root: Element,
    count: usize,
}

/// Elements that hold elements, by the type of what they are in.
fn holds_elements(outer: u64, typ: u64) -> bool {
    matches!(
        (outer, typ),
        (0 | 80 | 848, 5 | 6)
            | (0, 100)
            | (100, 800 | 820 | 848)
            | (5 | 6 | 28 | 30, 7)
            | (5, 30 | 44)
            | (6, 20 | 22)
            | (20, 26)
            | (22 | 44, 28)
            | (22, 253)
    )
}

impl Tree {
    pub(crate) fn read(octets: &[u8]) -> Self {
        let mut count = 0;
        let mut elements = read(octets, 0, &mut count);
        assert_eq!(elements.len(), 1);
        Self {
            root: elements.remove(0),
            count,
        }
    }

    /// Elements.
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    pub(crate) fn write(&self, spoilt: Option<(usize, Spoil)>) -> Vec<u8> {
        let mut out = Vec::new();
        write(&self.root, &mut 0, spoilt, &mut out);
        out
    }

    /// With one element in a longer form; `None` if that is its shortest form or shorter.
    pub(crate) fn write_with(&self, element: usize, form: Form) -> Option<Vec<u8>> {
        let longer = self.write(Some((element, Spoil::Form(form))));
        let (Form::Type(octets) | Form::Length(octets)) = form;
        let shortest = self.shortest(element, form);
        (octets > shortest).then_some(longer)
    }

    pub(crate) fn write_with_length(&self, element: usize, length: u64) -> Vec<u8> {
        self.write(Some((element, Spoil::Length(length))))
    }

    pub(crate) fn write_with_type(&self, element: usize, typ: u64) -> Vec<u8> {
        self.write(Some((element, Spoil::Type(typ))))
    }

    fn shortest(&self, element: usize, form: Form) -> usize {
        fn find(at: &Element, number: &mut usize) -> Option<(u64, usize)> {
            if *number == 0 {
                let mut value = Vec::new();
                write_value(at, &mut 1, None, &mut value);
                return Some((at.typ, value.len()));
            }
            *number -= 1;
            match &at.value {
                Value::Octets(_) => None,
                Value::Elements(inner) => inner.iter().find_map(|e| find(e, number)),
            }
        }
        let (typ, len) = find(&self.root, &mut { element }).unwrap();
        match form {
            Form::Type(_) => shortest_form(typ),
            Form::Length(_) => shortest_form(len as u64),
        }
    }
}

fn read(mut octets: &[u8], outer: u64, count: &mut usize) -> Vec<Element> {
    // A piece of a fragmented packet has FragCount, at least 2, before it.
    let mut pieces = false;
    let mut elements = Vec::new();
    while !octets.is_empty() {
        *count += 1;
        let (typ, rest) = read_var(octets);
        let (len, rest) = read_var(rest);
        let (value, rest) = rest.split_at(usize::try_from(len).unwrap());
        pieces |= (outer, typ) == (100, 83);
        let inside = holds_elements(outer, typ) || ((outer, typ) == (100, 80) && !pieces);
        elements.push(Element {
            typ,
            value: if inside {
                Value::Elements(read(value, typ, count))
            } else {
                Value::Octets(value.to_vec())
            },
        });
        octets = rest;
    }
    elements
}

fn read_var(octets: &[u8]) -> (u64, &[u8]) {
    let (width, rest) = match octets[0] {
        0xFD => (2, &octets[1..]),
        0xFE => (4, &octets[1..]),
        0xFF => (8, &octets[1..]),
        _ => (1, octets),
    };
    let (number, rest) = rest.split_at(width);
    let n = number.iter().fold(0, |n, octet| n << 8 | u64::from(*octet));
    (n, rest)
}

fn shortest_form(n: u64) -> usize {
    match n {
        0..=252 => 1,
        253..=0xFFFF => 3,
        0x1_0000..=0xFFFF_FFFF => 5,
        _ => 9,
    }
}

fn write_var(n: u64, form: usize, out: &mut Vec<u8>) {
    let octets = n.to_be_bytes();
    match form {
        1 => out.push(octets[7]),
        3 => out.extend([0xFD, octets[6], octets[7]]),
        5 => {
            out.push(0xFE);
            out.extend(&octets[4..]);
        }
        _ => {
            out.push(0xFF);
            out.extend(octets);
        }
    }
}

fn write(at: &Element, number: &mut usize, spoilt: Option<(usize, Spoil)>, out: &mut Vec<u8>) {
    let spoil = spoilt
        .filter(|(element, _)| element == number)
        .map(|(_, spoil)| spoil);
    *number += 1;
    let mut value = Vec::new();
    write_value(at, number, spoilt, &mut value);
    let typ = match spoil {
        Some(Spoil::Type(typ)) => typ,
        _ => at.typ,
    };
    let len = match spoil {
        Some(Spoil::Length(len)) => len,
        _ => value.len() as u64,
    };
    let (mut type_form, mut length_form) = (shortest_form(typ), shortest_form(len));
    match spoil {
        Some(Spoil::Form(Form::Type(octets))) => type_form = octets.max(type_form),
        Some(Spoil::Form(Form::Length(octets))) => length_form = octets.max(length_form),
        _ => {}
    }
    write_var(typ, type_form, out);
    write_var(len, length_form, out);
    out.extend(value);
}

fn write_value(
    at: &Element,
    number: &mut usize,
    spoilt: Option<(usize, Spoil)>,
    out: &mut Vec<u8>,
) {
    match &at.value {
        Value::Octets(octets) => out.extend(octets),
        Value::Elements(elements) => {
            for element in elements {
                write(element, number, spoilt, out);
            }
        }
    }
}
