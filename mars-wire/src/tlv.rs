//! Reading and writing of TYPE and LENGTH.

use crate::{DecodeError, ErrorKind};

/// Octets of `n` as a VAR-NUMBER.
pub(crate) const fn var_len(n: u64) -> usize {
    match n {
        0..=252 => 1,
        253..=0xFFFF => 3,
        0x1_0000..=0xFFFF_FFFF => 5,
        _ => 9,
    }
}

/// A VAR-NUMBER at `at` and the offset behind it.
pub(crate) fn read_var(b: &[u8], at: usize) -> Result<(u64, usize), DecodeError> {
    let err = |kind| DecodeError { offset: at, kind };
    let rest = b.get(at..).ok_or(err(ErrorKind::Truncated))?;
    let (n, len, least) = match rest {
        [0xFD, a, b, ..] => (u64::from(u16::from_be_bytes([*a, *b])), 3, 253),
        [0xFE, a, b, c, d, ..] => (u64::from(u32::from_be_bytes([*a, *b, *c, *d])), 5, 0x1_0000),
        [0xFF, a, b, c, d, e, f, g, h, ..] => (
            u64::from_be_bytes([*a, *b, *c, *d, *e, *f, *g, *h]),
            9,
            0x1_0000_0000,
        ),
        [0xFD..=0xFF, ..] | [] => return Err(err(ErrorKind::Truncated)),
        [n, ..] => (u64::from(*n), 1, 0),
    };
    if n < least {
        return Err(err(ErrorKind::NonMinimal));
    }
    Ok((n, at + len))
}
