//! One path and what the host knows of it.

use mars_time::Instant;

use crate::ack::Unacked;
use crate::reactive::Candidate;
use crate::setting::Setting;
use crate::{Metrics, Output, PathId, Side, Status};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Path {
    pub(crate) id: PathId,
    pub(crate) validated: bool,
    status_by_us: Status,
    status_by_peer: Status,
    pub(crate) metrics: Metrics,
    pub(crate) unacked: Unacked,
    /// Over which path its ACKs go.
    pub(crate) route: Setting<Option<PathId>>,
    /// Whether an ACK for it is owed.
    pub(crate) due: Setting<bool>,
}

impl Path {
    pub(crate) fn new(id: PathId) -> Self {
        Self {
            id,
            validated: false,
            status_by_us: Status::Available,
            status_by_peer: Status::Available,
            metrics: Metrics::default(),
            unacked: Unacked::default(),
            route: Setting::new(None),
            due: Setting::new(false),
        }
    }

    pub(crate) fn set_status(&mut self, by: Side, status: Status) {
        match by {
            Side::Local => self.status_by_us = status,
            Side::Peer => self.status_by_peer = status,
        }
    }

    /// As the law sees it; `None` until it is validated.
    pub(crate) fn candidate(&self) -> Option<Candidate> {
        let statuses = [self.status_by_us, self.status_by_peer];
        self.validated.then_some(Candidate {
            path: self.id,
            backup: statuses.contains(&Status::Backup),
            room: self.metrics.in_flight < self.metrics.cwnd,
            next_send: self.metrics.next_send,
            srtt: self.metrics.srtt,
        })
    }

    /// When an ACK will be owed, if nothing else happens.
    pub(crate) fn deadline(&self, now: Instant) -> Option<Instant> {
        self.unacked.deadline(now)
    }

    /// A setting that the host has not been told, if any.
    pub(crate) fn untold(&mut self) -> Option<Output> {
        let path = self.id;
        if let Some(over) = self.route.untold() {
            return Some(Output::AckRoute { path, over });
        }
        let due = self.due.untold()?;
        Some(Output::AckDue { path, due })
    }
}
