//! Which generation to work in after hearing of another.

/// Farthest that one report moves a consumer ahead. Forwarders obey the same limit, so that a liar
/// cannot use up the generations for everybody.
pub(crate) const MAX_JUMP: u32 = 16;

/// The generation to work in after `heard` was reported: towards it by at most [`MAX_JUMP`], never
/// back. A consumer that is far behind comes there in several round trips to its own forwarder.
pub(crate) fn adopt(own: u32, heard: u32) -> u32 {
    own.max(heard.min(own.saturating_add(MAX_JUMP)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_ahead_by_at_most_sixteen_and_never_back() {
        let table = [
            (0, 0, 0),
            (0, 1, 1),
            (0, 16, 16),
            (0, 17, 16),
            (5, 3, 5),
            (16, u32::MAX, 32),
            (u32::MAX - 1, u32::MAX, u32::MAX),
            (u32::MAX, 0, u32::MAX),
        ];
        for (own, heard, then) in table {
            assert_eq!(adopt(own, heard), then, "{own} {heard}");
        }
    }
}
