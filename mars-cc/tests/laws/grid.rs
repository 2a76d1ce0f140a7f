//! One hop over rate x round trip x prefixes x loss.

use std::fmt::Write;

use crate::net::{MS, Net, SECOND, Wire};
use crate::scenes::{measure, one_hop, warm_up};

/// Runs every cell, holds it against the bars and draws the table.
fn grid(rates: &[u64], round_trips: &[u64], prefixes: &[usize]) -> (String, Vec<u64>) {
    let mut table = String::from("Mbit/s  RTT  N  loss | util  Jain   mean/10  p95  max\n");
    let mut lossy = Vec::new();
    for &mbit in rates {
        for &round_trip in round_trips {
            for &count in prefixes {
                for loss_per_mille in [0, 10] {
                    let mut net = Net::new(1);
                    let wire = Wire {
                        loss_per_mille,
                        ..Wire::new(mbit, round_trip * MS / 2)
                    };
                    let (_, pipe) = one_hop(&mut net, wire, count);
                    let start = warm_up(round_trip);
                    net.run_until(start);
                    let cell = measure(&mut net, pipe, start + 4 * SECOND);
                    let (mean, p95, most) = cell.queue;
                    writeln!(
                        table,
                        "{mbit:6} {round_trip:4} {count:2} {loss_per_mille:5} | {:4} {:5} {mean:9} {p95:4} {most:4}",
                        cell.utilisation, cell.jain
                    )
                    .unwrap();
                    let name = format!("{mbit} Mbit/s, {round_trip} ms, {count}, {loss_per_mille}");
                    assert!(net.slots_match(), "{name}");
                    assert!(cell.jain >= 9_950, "{name}: {cell:?}");
                    if loss_per_mille == 0 {
                        assert!(cell.utilisation >= 990, "{name}: {cell:?}");
                        assert!(p95 <= 20, "{name}: {cell:?}");
                    } else {
                        assert!(cell.utilisation >= 950, "{name}: {cell:?}");
                        lossy.push(cell.utilisation);
                    }
                }
            }
        }
    }
    (table, lossy)
}

#[test]
fn the_grid_is_full_fair_and_short() {
    let (table, mut lossy) = grid(&[10, 40, 100], &[5, 20, 50, 100], &[1, 5, 20]);
    lossy.sort_unstable();
    assert!(
        lossy[lossy.len() / 2] >= 985,
        "median at 1 % loss: {lossy:?}"
    );
    insta::assert_snapshot!(table);
}
