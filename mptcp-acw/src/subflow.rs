//! One subflow: its window and what the host knows of it.

use core::time::Duration;

use crate::lia::Path;
use crate::{Config, Loss, Output, SubflowId, tcp};

/// Fractional bits of a window: at 100 Gbit/s and 10 s an ACK adds a hundred-thousandth of a byte.
pub(crate) const WINDOW_BITS: u32 = 24;
/// Round-trip times are kept within this, microseconds: about half an hour.
const MAX_RTT_US: u64 = 1 << 31;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Subflow {
    pub(crate) id: SubflowId,
    pub(crate) mss: u16,
    /// In units of 2^-[`WINDOW_BITS`] bytes.
    cwnd: u64,
    /// Bytes.
    ssthresh: u64,
    /// Smoothed round-trip time, eighths of a microsecond; `None` before the first sample.
    srtt_8us: Option<u64>,
    /// Window and threshold as last reported; 0, which neither can be, before the first report.
    told: (u64, u64),
}

impl Subflow {
    pub(crate) fn new(id: SubflowId, mss: u16, config: &Config) -> Self {
        let cwnd = u64::from(config.initial_window) * u64::from(mss);
        Self {
            id,
            mss,
            cwnd: cwnd << WINDOW_BITS,
            ssthresh: config.max_window,
            srtt_8us: None,
            told: (0, 0),
        }
    }

    /// Congestion window, bytes, rounded down.
    pub(crate) const fn cwnd(&self) -> u64 {
        self.cwnd >> WINDOW_BITS
    }

    /// Slow-start threshold, bytes.
    pub(crate) const fn ssthresh(&self) -> u64 {
        self.ssthresh
    }

    pub(crate) const fn in_slow_start(&self) -> bool {
        self.cwnd() < self.ssthresh
    }

    /// As the coupled law sees it; `None` before the first round-trip time.
    pub(crate) fn path(&self) -> Option<Path> {
        Some(Path {
            cwnd: self.cwnd(),
            rtt_us: u32::try_from(self.srtt_8us? / 8).unwrap_or(u32::MAX),
        })
    }

    /// RFC 6298, section 2: a new sample counts for an eighth.
    pub(crate) fn sample(&mut self, rtt: Duration) {
        let rtt_us = u64::try_from(rtt.as_micros()).unwrap_or(u64::MAX);
        let rtt_us = rtt_us.clamp(1, MAX_RTT_US);
        self.srtt_8us = Some(match self.srtt_8us {
            None => rtt_us * 8,
            Some(srtt_8us) => srtt_8us - srtt_8us / 8 + rtt_us,
        });
    }

    /// Widens the window by `added`, in units of 2^-[`WINDOW_BITS`] bytes.
    pub(crate) fn grow(&mut self, added: u64, config: &Config) {
        let max = config.max_window << WINDOW_BITS;
        self.cwnd = self.cwnd.saturating_add(added).min(max);
    }

    pub(crate) fn lose(&mut self, loss: Loss, config: &Config) {
        let floor = u64::from(config.min_window) * u64::from(self.mss);
        let (cwnd, ssthresh) = tcp::after_loss(self.cwnd(), self.mss, floor, loss);
        self.cwnd = cwnd << WINDOW_BITS;
        self.ssthresh = ssthresh;
    }

    /// A setting that the host has not been told, if any.
    pub(crate) fn untold(&mut self) -> Option<Output> {
        let (cwnd, ssthresh) = (self.cwnd(), self.ssthresh);
        let subflow = self.id;
        if self.told.0 != cwnd {
            self.told.0 = cwnd;
            return Some(Output::Cwnd {
                subflow,
                bytes: cwnd,
            });
        }
        if self.told.1 != ssthresh {
            self.told.1 = ssthresh;
            return Some(Output::Ssthresh {
                subflow,
                bytes: ssthresh,
            });
        }
        None
    }
}
