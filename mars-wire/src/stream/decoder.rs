//! The machine.

use alloc::vec::Vec;

use mars_time::Instant;

use crate::ErrorKind;
use crate::stream::{Error, Input, Output, StreamError, element_len};

/// Finds the elements in one byte stream.
///
/// One input of `n` octets makes at most `n / 2 + 2` outputs. Memory: at most twice the octets that
/// are not drained and of one unfinished element, plus the longest input.
#[derive(Clone, Debug, Default)]
pub struct StreamDecoder {
    state: State,
    /// Octets of the stream from `start` on: drained, then whole elements, then part of one.
    buffer: Vec<u8>,
    /// Offset in the stream of the first octet of `buffer`.
    start: u64,
    /// Octets at the front of `buffer` that were drained.
    drained: usize,
    /// Octets at the front of `buffer` that are whole elements.
    whole: usize,
    ignored: u64,
}

#[derive(Clone, Copy, Debug, Default)]
enum State {
    #[default]
    Reading,
    /// The stream ended where an element did.
    Ended,
    /// The stream is given up. The error is taken once.
    Failed(Option<StreamError>),
}

impl StreamDecoder {
    /// At the start of a stream.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes one input. `now` decides nothing: there are no timers.
    ///
    /// # Errors
    /// [`Error::AfterEnd`]. After a fault of the stream every input is ignored instead, and
    /// [counted](Self::ignored), because the host may not have heard of it yet.
    pub fn handle_input(&mut self, _now: Instant, input: Input<'_>) -> Result<(), Error> {
        match (self.state, input) {
            (_, Input::Timeout) | (State::Failed(_), Input::End) => {}
            (State::Reading, Input::Octets(octets)) => self.read(octets),
            (State::Reading, Input::End) => self.end(),
            (State::Ended, Input::Octets(_) | Input::End) => return Err(Error::AfterEnd),
            (State::Failed(_), Input::Octets(octets)) => self.ignore(octets.len()),
        }
        Ok(())
    }

    /// Takes one output. It borrows from the decoder; the next call makes its octets invalid.
    pub fn poll_output(&mut self) -> Output<'_> {
        if let Some(octets) = self.next() {
            let offset = self.start + self.drained as u64;
            self.drained += octets;
            let from = self.drained - octets;
            return Output::Element {
                offset,
                octets: self.buffer.get(from..self.drained).unwrap_or_default(),
            };
        }
        if let State::Failed(error) = &mut self.state
            && let Some(error) = error.take()
        {
            return Output::Failed(error);
        }
        Output::Timeout(None)
    }

    /// Octets that were fed and belong to no whole element, once the stream has failed: the element
    /// at fault and all that came after. It does not depend on how the stream was cut into inputs.
    #[must_use]
    pub fn ignored(&self) -> u64 {
        self.ignored
    }

    /// Octets of the next element to give out.
    fn next(&self) -> Option<usize> {
        let undrained = self.buffer.get(self.drained..self.whole)?;
        element_len(undrained).ok().flatten()
    }

    fn read(&mut self, octets: &[u8]) {
        self.forget_drained();
        self.buffer.extend_from_slice(octets);
        loop {
            let rest = self.buffer.get(self.whole..).unwrap_or_default();
            match element_len(rest) {
                Ok(Some(len)) if len <= rest.len() => self.whole += len,
                Ok(_) => return,
                Err(fault) => return self.fail(fault.offset, fault.kind),
            }
        }
    }

    fn end(&mut self) {
        if self.whole == self.buffer.len() {
            self.state = State::Ended;
        } else {
            self.fail(0, ErrorKind::Truncated);
        }
    }

    /// Gives the stream up for a fault `offset` octets into the element that comes next.
    fn fail(&mut self, offset: usize, kind: ErrorKind) {
        let offset = self.start + (self.whole + offset) as u64;
        self.state = State::Failed(Some(StreamError { offset, kind }));
        self.ignore(self.buffer.len() - self.whole);
        self.buffer.truncate(self.whole);
    }

    fn ignore(&mut self, octets: usize) {
        self.ignored = self.ignored.saturating_add(octets as u64);
    }

    /// Moves what is not drained to the front, unless that is more than what is forgotten: so the
    /// cost of moving is at most that of having read.
    fn forget_drained(&mut self) {
        if self.drained >= self.buffer.len() - self.drained {
            self.buffer.drain(..self.drained);
            self.start += self.drained as u64;
            self.whole -= self.drained;
            self.drained = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MAX_PACKET;
    use alloc::vec;

    const LONGEST: [u8; 4] = [6, 0xFD, 0x22, 0x5C];

    /// Elements of the greatest size in odd chunks, with so many left undrained each time.
    fn memory(chunk: usize, undrained: usize) -> usize {
        let mut element = vec![0; MAX_PACKET];
        element[..4].copy_from_slice(&LONGEST);
        let stream = element.repeat(40);
        let mut decoder = StreamDecoder::new();
        let (mut most, mut open) = (0, 0);
        for octets in stream.chunks(chunk) {
            let whole = (decoder.start + decoder.whole as u64) / MAX_PACKET as u64;
            let input = Input::Octets(octets);
            decoder.handle_input(Instant::ZERO, input).unwrap();
            let after = (decoder.start + decoder.whole as u64) / MAX_PACKET as u64;
            open += usize::try_from(after - whole).unwrap();
            while open > undrained {
                let Output::Element { .. } = decoder.poll_output() else {
                    panic!("{open} elements wait");
                };
                open -= 1;
            }
            most = most.max(decoder.buffer.len());
        }
        most
    }

    #[test]
    fn memory_is_bounded() {
        for chunk in [1_000, 8_000, 9_000] {
            for undrained in [0, 1, 5] {
                let bound = 2 * MAX_PACKET * (undrained + 1) + chunk;
                let most = memory(chunk, undrained);
                assert!(
                    most <= bound,
                    "{most} octets by {chunk} with {undrained} undrained"
                );
            }
        }
    }

    /// Nothing of an element that is too long is kept.
    #[test]
    fn too_long_an_element_is_not_kept() {
        let mut decoder = StreamDecoder::new();
        let mut octets = vec![0; 5_000];
        octets[..6].copy_from_slice(&[6, 0xFE, 0, 1, 0, 0]);
        for _ in 0..3 {
            let input = Input::Octets(&octets);
            decoder.handle_input(Instant::ZERO, input).unwrap();
            assert_eq!(decoder.buffer.len(), 0);
        }
        assert_eq!(decoder.ignored(), 15_000);
    }
}
