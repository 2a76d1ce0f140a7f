//! Percentiles, medians, fairness.

/// The `q`-quantile by the nearest-rank rule: the least value that at least `q` of all values do
/// not exceed. Zero of nothing.
#[must_use]
pub fn quantile(values: &[f64], q: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let rank = (q * sorted.len() as f64).ceil().max(1.0) as usize;
    sorted.get(rank - 1).copied().unwrap_or(0.0)
}

/// The value in the middle, the mean of two if there are two.
#[must_use]
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => 0.0,
        n if n % 2 == 1 => sorted[middle],
        _ => f64::midpoint(sorted[middle - 1], sorted[middle]),
    }
}

/// The greatest value, zero of nothing.
#[must_use]
pub fn max(values: &[f64]) -> f64 {
    values.iter().copied().reduce(f64::max).unwrap_or(0.0)
}

/// The least value, zero of nothing.
#[must_use]
pub fn min(values: &[f64]) -> f64 {
    values.iter().copied().reduce(f64::min).unwrap_or(0.0)
}

/// The mean, zero of nothing.
#[must_use]
pub fn mean(values: &[f64]) -> f64 {
    if values.is_empty() {
        return 0.0;
    }
    values.iter().sum::<f64>() / values.len() as f64
}

/// Jain's index: 1 when all get the same, 1/n when one gets all. 1 of nothing.
#[must_use]
pub fn jain(values: &[f64]) -> f64 {
    let sum: f64 = values.iter().sum();
    let squares: f64 = values.iter().map(|v| v * v).sum();
    if squares == 0.0 {
        return 1.0;
    }
    sum * sum / (values.len() as f64 * squares)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-12
    }

    #[test]
    fn quantiles_by_nearest_rank() {
        let values: Vec<f64> = (1..=20).rev().map(f64::from).collect();
        assert!(near(quantile(&values, 0.95), 19.0));
        assert!(near(quantile(&values, 1.0), 20.0));
        assert!(near(quantile(&values, 0.0), 1.0));
        assert!(near(quantile(&[], 0.5), 0.0));
        assert!(near(quantile(&[3.0], 0.95), 3.0));
    }

    #[test]
    fn medians_of_odd_and_even() {
        assert!(near(median(&[3.0, 1.0, 2.0]), 2.0));
        assert!(near(median(&[4.0, 1.0, 2.0, 3.0]), 2.5));
    }

    #[test]
    fn jain_of_equals_and_of_a_monopoly() {
        assert!(near(jain(&[5.0; 8]), 1.0));
        assert!(near(jain(&[1.0, 0.0, 0.0, 0.0]), 0.25));
        assert!(near(jain(&[1.0, 2.0, 3.0]), 36.0 / 42.0));
    }
}
