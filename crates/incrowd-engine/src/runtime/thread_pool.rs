//! Parallel work on a number of threads of its own.

use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

/// Runs parallel work on this many threads.
pub(crate) fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    in_pool(ThreadPoolBuilder::new().num_threads(threads).build(), work)
}

/// Runs parallel work in a pool. If the system did not start its threads, this thread does all of the work: the pool that
/// everything else shares could not start its threads either, and would panic.
fn in_pool<T: Send>(pool: std::result::Result<ThreadPool, ThreadPoolBuildError>, work: impl FnOnce() -> T + Send) -> T {
    match pool.or_else(|_| ThreadPoolBuilder::new().num_threads(1).use_current_thread().build()) {
        Ok(pool) => pool.install(work),
        // This thread is one of a pool already.
        Err(_) => work(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parallel_work_stays_on_its_threads() {
        assert_eq!(on_threads(3, rayon::current_num_threads), 3);
    }

    #[test]
    fn work_is_done_even_if_no_thread_can_be_started_for_it() {
        let impossible = || ThreadPoolBuilder::new().num_threads(2).stack_size(usize::MAX / 4).build();
        let work = || {
            let threads = rayon::current_num_threads();
            (threads, rayon::join(|| 3, || 4))
        };
        let done = std::thread::spawn(move || [in_pool(impossible(), work), in_pool(impossible(), work)]);
        assert_eq!(done.join().expect("no panic"), [(1, (3, 4)); 2]);
    }
}
