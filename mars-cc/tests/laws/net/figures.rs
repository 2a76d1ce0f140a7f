//! Figures of a run, in integers.

use super::DATA_OCTETS;

/// Jain's index of fairness in parts of 10,000.
pub(crate) fn jain(shares: &[u64]) -> u64 {
    let sum: u128 = shares.iter().map(|&share| u128::from(share)).sum();
    let squares: u128 = shares
        .iter()
        .map(|&share| u128::from(share) * u128::from(share))
        .sum();
    (10_000 * sum * sum / (squares.max(1) * shares.len() as u128)) as u64
}

/// Mean in tenths, 95th percentile and greatest of a histogram.
pub(crate) fn queue_figures(found: &[u64]) -> (u64, usize, usize) {
    let total: u64 = found.iter().sum();
    let sum: u64 = found
        .iter()
        .zip(0..)
        .map(|(count, queue)| count * queue)
        .sum();
    let mut seen = 0;
    let p95 = found.iter().position(|count| {
        seen += count;
        seen * 100 >= total * 95
    });
    let most = found.iter().rposition(|&count| count > 0);
    (10 * sum / total.max(1), p95.unwrap_or(0), most.unwrap_or(0))
}

/// Delivered Data as a share of what `mbit` carries in `span`, in parts of 1,000.
pub(crate) fn utilisation(data: u64, mbit: u64, span: u64) -> u64 {
    data * DATA_OCTETS * 8 * 1_000 / (mbit * (span / 1_000))
}

/// Time for which a link of `mbit` stood idle, in tenths of a millisecond, if `data` packets came
/// in `span`.
pub(crate) fn idle(data: u64, mbit: u64, span: u64) -> u64 {
    let busy = data * DATA_OCTETS * 8 * 1_000 / mbit;
    span.saturating_sub(busy) / 100_000
}
