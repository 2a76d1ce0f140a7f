//! Many seeds of one scenario, on as many threads as wanted. The results do not depend on how many.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::plan::Plan;
use crate::run::{RunResult, run};

/// Runs each plan and gives the results in the order of the plans. `progress` is told the number of
/// a plan and the share of it that is done.
pub fn run_all(
    plans: &[Plan],
    jobs: usize,
    progress: &(dyn Fn(usize, f64) + Sync),
) -> Vec<RunResult> {
    let next = AtomicUsize::new(0);
    let results: Mutex<Vec<(usize, RunResult)>> = Mutex::new(Vec::new());
    let work = || {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(plan) = plans.get(number) else {
                break;
            };
            let result = run(plan, &mut |share| {
                progress(number, share);
                true
            });
            if let Ok(mut results) = results.lock() {
                results.push((number, result));
            }
        }
    };
    if jobs <= 1 {
        work();
    } else {
        std::thread::scope(|scope| {
            for _ in 0..jobs.min(plans.len()) {
                scope.spawn(work);
            }
        });
    }
    let mut results = results.into_inner().unwrap_or_default();
    results.sort_by_key(|(number, _)| *number);
    results.into_iter().map(|(_, result)| result).collect()
}
