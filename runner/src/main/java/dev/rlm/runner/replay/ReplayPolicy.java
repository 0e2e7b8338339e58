package dev.rlm.runner.replay;

import dev.rlm.episodes.Briefing;
import dev.rlm.episodes.Observation;
import dev.rlm.episodes.Policy;
import dev.rlm.episodes.Turn;
import dev.rlm.sinks.Step;

/** A policy that says and does again what was recorded, whatever it is shown. */
record ReplayPolicy(RunReplay replay, Briefing briefing) implements Policy {
    @Override
    public Turn act(Observation seen, Step step) {
        RecordedStep recorded = replay.next();
        recorded.models().forEach(call -> RetoldCall.record(call, step));
        Turn turn = recorded.turn(briefing);
        replay.acts(turn);
        return turn;
    }
}
