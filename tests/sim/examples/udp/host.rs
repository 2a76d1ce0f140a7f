//! The host loop: one forwarder, one socket, one application.

use std::net::{SocketAddr, UdpSocket};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant as Clock};

use mars_forwarder_core::{Edit, FaceId, Forwarder, Input, Output};
use mars_time::Instant;
use mars_wire::MAX_PACKET;

use crate::Fault;
use crate::app::App;
use crate::packets::{decoded, encoded};

/// Neighbours are faces 0, 1, ...; the application is behind this one.
pub(crate) const APP: FaceId = FaceId(100);

/// The handle of a packet is its octets without the link header.
pub(crate) struct Host {
    pub(crate) name: &'static str,
    pub(crate) forwarder: Forwarder<Vec<u8>>,
    pub(crate) app: App,
    pub(crate) socket: UdpSocket,
    pub(crate) neighbours: Vec<SocketAddr>,
    pub(crate) clock: Clock,
}

impl Host {
    /// Drains the machines, sleeps until told or until something arrives, hands it in; until the
    /// application is done.
    pub(crate) fn run(mut self) -> Result<(), Fault> {
        let arrivals = listen(self.socket.try_clone()?);
        loop {
            let wake = self.drain()?;
            if self.app.is_done() {
                return Ok(());
            }
            let rest = wake.map(|wake| wake.saturating_duration_since(self.now()));
            match arrivals.recv_timeout(rest.unwrap_or(Duration::MAX)) {
                Ok((from, octets)) => {
                    // A stranger is behind no face.
                    if let Some(face) = self.neighbours.iter().position(|place| *place == from) {
                        self.receive(FaceId(u32::try_from(face)?), &octets)?;
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err("nobody listens".into()),
            }
            let now = self.now();
            self.forwarder.handle_input(now, Input::Timeout)?;
            self.app.handle_timeout(now)?;
        }
    }

    fn now(&self) -> Instant {
        Instant::ZERO + self.clock.elapsed()
    }

    /// Polls both machines until neither has anything to say; gives the time of the next wake-up.
    fn drain(&mut self) -> Result<Option<Instant>, Fault> {
        loop {
            match self.forwarder.poll_output() {
                Output::Transmit { face, edit, packet } => self.send(face, edit, &packet)?,
                Output::Event(event) => println!("{}: {event:?}", self.name),
                Output::Timeout(wake) => {
                    let app_wake = self.app.drain()?;
                    let Some(octets) = self.app.next_packet() else {
                        return Ok(wake.into_iter().chain(app_wake).min());
                    };
                    self.receive(APP, &octets)?;
                }
                _ => {}
            }
        }
    }

    fn receive(&mut self, face: FaceId, octets: &[u8]) -> Result<(), Fault> {
        match decoded(face, octets) {
            Ok(input) => self.forwarder.handle_input(self.now(), input)?,
            // Anybody may send anything.
            Err(error) => eprintln!("{}: face {}: {error}", self.name, face.0),
        }
        Ok(())
    }

    fn send(&mut self, face: FaceId, edit: Edit, packet: &[u8]) -> Result<(), Fault> {
        let outcome = match (encoded(edit, packet), self.neighbours.get(face.0 as usize)) {
            (Ok(octets), None) => return self.app.handle_packet(self.now(), &octets),
            (Ok(octets), Some(to)) => self.socket.send_to(&octets, to).map_err(Fault::from),
            (Err(error), _) => Err(error),
        };
        // What has become too long, or what the kernel does not take, is lost, as on any link.
        if let Err(error) = outcome {
            eprintln!("{}: face {}: {error}", self.name, face.0);
        }
        Ok(())
    }
}

/// What arrives at the socket, and from where. A channel, since a socket's read timeout is rounded
/// up to ticks of the kernel, some milliseconds, and a forwarder paces packets far more finely.
fn listen(socket: UdpSocket) -> Receiver<(SocketAddr, Vec<u8>)> {
    // While the channel is full the socket's own buffer fills up, and then the kernel drops.
    let (sender, receiver) = sync_channel(64);
    std::thread::spawn(move || {
        let mut buffer = [0; MAX_PACKET + 1];
        loop {
            // An error is news of a datagram that nobody took.
            if let Ok((len, from)) = socket.recv_from(&mut buffer)
                && sender.send((from, buffer[..len].to_vec())).is_err()
            {
                return;
            }
        }
    });
    receiver
}
