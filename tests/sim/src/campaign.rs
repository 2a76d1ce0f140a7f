//! Many runs of one experiment, on as many threads as wanted. The results do not depend on how many.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::plan::Plan;
use crate::run::{RunResult, run};

/// Does `work` for each number below `count`, `jobs` at a time, and gives the results in order.
pub fn each<T: Send>(count: usize, jobs: usize, work: &(dyn Fn(usize) -> T + Sync)) -> Vec<T> {
    if jobs <= 1 {
        return (0..count).map(work).collect();
    }
    let next = AtomicUsize::new(0);
    let results: Mutex<Vec<(usize, T)>> = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..jobs.min(count) {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= count {
                        break;
                    }
                    let result = work(number);
                    if let Ok(mut results) = results.lock() {
                        results.push((number, result));
                    }
                }
            });
        }
    });
    let mut results = results.into_inner().unwrap_or_default();
    results.sort_by_key(|(number, _)| *number);
    results.into_iter().map(|(_, result)| result).collect()
}

/// Runs each plan and gives the results in the order of the plans. `progress` is told the number of
/// a plan and the share of it that is done.
pub fn run_all(
    plans: &[Plan],
    jobs: usize,
    progress: &(dyn Fn(usize, f64) + Sync),
) -> Vec<RunResult> {
    each(plans.len(), jobs, &|number| {
        run(&plans[number], &mut |share| {
            progress(number, share);
            true
        })
    })
}
