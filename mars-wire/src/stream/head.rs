//! TYPE and LENGTH at the front of octets that may not all be there yet.

use crate::{DecodeError, ErrorKind, MAX_PACKET};

/// How many octets the first element of `octets` takes, from its TYPE to its end, whether or not
/// they are all there: at most [`MAX_PACKET`]. `None` if TYPE and LENGTH are not yet complete.
///
/// # Errors
/// [`ErrorKind::BadType`], [`ErrorKind::NonMinimal`] and [`ErrorKind::TooLong`], as soon as the
/// octets that show it are there. More octets never change a verdict.
pub fn element_len(octets: &[u8]) -> Result<Option<usize>, DecodeError> {
    // One octet each: nearly every TYPE and many a LENGTH.
    if let [1..=252, value @ 0..=252, ..] = octets {
        return Ok(Some(2 + usize::from(*value)));
    }
    let fault = |offset, kind| Err(DecodeError { offset, kind });
    let Some((typ, rest)) = var(octets, 0)? else {
        return Ok(None);
    };
    if typ == 0 || typ > u64::from(u32::MAX) {
        return fault(0, ErrorKind::BadType);
    }
    let Some((value, rest)) = var(rest, octets.len() - rest.len())? else {
        return Ok(None);
    };
    let head = octets.len() - rest.len();
    match usize::try_from(value).map(|value| value.saturating_add(head)) {
        Ok(len) if len <= MAX_PACKET => Ok(Some(len)),
        _ => fault(0, ErrorKind::TooLong),
    }
}

/// A VAR-NUMBER at the front of `octets`, which stand at `offset`, and what follows it; `None` if
/// it is not yet complete.
fn var(octets: &[u8], offset: usize) -> Result<Option<(u64, &[u8])>, DecodeError> {
    let Some((first, rest)) = octets.split_first() else {
        return Ok(None);
    };
    let number = match first {
        0xFD => wide(rest, u16::from_be_bytes, 253),
        0xFE => wide(rest, u32::from_be_bytes, 1 << 16),
        0xFF => wide(rest, u64::from_be_bytes, 1 << 32),
        n => Some((u64::from(*n), 0, rest)),
    };
    let Some((n, least, rest)) = number else {
        return Ok(None);
    };
    if n < least {
        let kind = ErrorKind::NonMinimal;
        return Err(DecodeError { offset, kind });
    }
    Ok(Some((n, rest)))
}

/// The `N` octets of a number, the least that may take so many, and what follows.
fn wide<const N: usize, T: Into<u64>>(
    octets: &[u8],
    read: impl FnOnce([u8; N]) -> T,
    least: u64,
) -> Option<(u64, u64, &[u8])> {
    let (number, rest) = octets.split_first_chunk()?;
    Some((read(*number).into(), least, rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ErrorKind::{BadType, NonMinimal, TooLong};

    type Verdict = Result<usize, (usize, ErrorKind)>;

    /// The octets of a TYPE and LENGTH, and what they mean. Every proper prefix is incomplete, up to
    /// the one that shows the fault.
    #[test]
    fn every_form_of_type_and_length() {
        let table: &[(&[u8], Verdict)] = &[
            (&[5, 0], Ok(2)),
            (&[5, 252], Ok(254)),
            (&[252, 1], Ok(3)),
            (&[5, 0xFD, 0, 253], Ok(257)),
            (&[5, 0xFD, 0x22, 0x5C], Ok(8800)),
            (&[5, 0xFD, 0x22, 0x5D], Err((0, TooLong))),
            (&[5, 0xFD, 0xFF, 0xFF], Err((0, TooLong))),
            (&[5, 0xFE, 0, 1, 0, 0], Err((0, TooLong))),
            (&[5, 0xFF, 0, 0, 0, 1, 0, 0, 0, 0], Err((0, TooLong))),
            (
                &[5, 0xFF, 255, 255, 255, 255, 255, 255, 255, 255],
                Err((0, TooLong)),
            ),
            (&[5, 0xFD, 0, 252], Err((1, NonMinimal))),
            (&[5, 0xFE, 0, 0, 255, 255], Err((1, NonMinimal))),
            (
                &[5, 0xFF, 0, 0, 0, 0, 255, 255, 255, 255],
                Err((1, NonMinimal)),
            ),
            (&[0], Err((0, BadType))),
            (&[0xFD, 0, 252], Err((0, NonMinimal))),
            (&[0xFD, 0, 253, 0], Ok(4)),
            (&[0xFD, 0, 253, 0xFD, 0, 252], Err((3, NonMinimal))),
            (&[0xFE, 0, 0, 255, 255], Err((0, NonMinimal))),
            (&[0xFE, 0, 1, 0, 0, 7], Ok(13)),
            (&[0xFE, 255, 255, 255, 255, 0], Ok(6)),
            (
                &[0xFF, 0, 0, 0, 0, 255, 255, 255, 255],
                Err((0, NonMinimal)),
            ),
            (&[0xFF, 0, 0, 0, 1, 0, 0, 0, 0], Err((0, BadType))),
            (&[0xFE, 255, 255, 255, 255, 0xFD, 0x22, 0x58], Ok(8800)),
            (
                &[0xFE, 255, 255, 255, 255, 0xFD, 0x22, 0x59],
                Err((0, TooLong)),
            ),
        ];
        for (octets, verdict) in table {
            let expected = match *verdict {
                Ok(len) => Ok(Some(len)),
                Err((offset, kind)) => Err(DecodeError { offset, kind }),
            };
            assert_eq!(element_len(octets), expected, "{octets:02x?}");
            let more = [octets, &[0xFF, 0][..]].concat();
            assert_eq!(element_len(&more), expected, "{more:02x?}");
            for len in 0..octets.len() {
                assert_eq!(element_len(&octets[..len]), Ok(None), "{len} {octets:02x?}");
            }
        }
    }
}
