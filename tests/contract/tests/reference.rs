//! The suite under test: the correct machine passes, and each planted bug is caught by the
//! properties that are there to catch it.

use mars_contract::Property::{
    self, BackwardsClock, Bounded, CloneAgrees, DeadlineAfterNow, EveryMillisecond, IdlePoll,
    LateDrain, LateWake, RefusalIsTick, SameInputs, SpuriousTicks,
};
use mars_contract::{Mutant, Reference, contract_suite, violation};

contract_suite!(correct, Reference<{ Mutant::NONE }>);

/// One test per bug: what must catch it. Other properties may catch it as well.
macro_rules! caught {
    ($($test:ident $mutant:ident by $($property:ident)+,)*) => {
        $(
            #[test]
            fn $test() {
                let misses = [$($property),+].into_iter().filter(|property: &Property| {
                    violation::<Reference<{ Mutant::$mutant }>>(*property, false).is_none()
                });
                assert_eq!(misses.collect::<Vec<_>>(), []);
            }
        )*
    };
}

caught! {
    less_for_less_or_equal_is_caught LESS_FOR_LESS_OR_EQUAL by DeadlineAfterNow EveryMillisecond SpuriousTicks,
    rearming_on_a_spurious_tick_is_caught REARM_ON_SPURIOUS_TICK by SpuriousTicks EveryMillisecond,
    mutating_before_refusing_is_caught MUTATE_BEFORE_REFUSING by RefusalIsTick,
    an_order_settled_by_the_drain_is_caught ORDER_BY_DRAIN by LateDrain,
    a_burst_of_catch_up_is_caught BURST by LateWake Bounded,
    timers_out_of_order_are_caught ORDER_BY_ID by LateWake,
    an_incomplete_deadline_is_caught INCOMPLETE_DEADLINE by EveryMillisecond SpuriousTicks,
    belief_in_a_backwards_clock_is_caught BACKWARDS by BackwardsClock,
    ambient_state_is_caught AMBIENT_STATE by SameInputs,
    a_clone_that_shares_is_caught SHARED_CLONE by CloneAgrees,
    a_poll_that_moves_the_deadline_is_caught RESTLESS_POLL by IdlePoll,
    outputs_without_bound_are_caught UNBOUNDED by Bounded,
    looking_at_an_input_before_the_timers_is_caught INPUT_BEFORE_TIMERS by SpuriousTicks,
}

/// The order that depends on when it is drained is seen by nobody but the late drain.
#[test]
fn only_the_late_drain_sees_an_order_settled_by_the_drain() {
    let caught = Property::ALL.into_iter().filter(|property| {
        violation::<Reference<{ Mutant::ORDER_BY_DRAIN }>>(*property, false).is_some()
    });
    assert_eq!(caught.collect::<Vec<_>>(), [LateDrain]);
}
