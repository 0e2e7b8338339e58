package dev.rlm.runner.rescore;

import dev.rlm.episodes.Sample;
import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.RunInfo;
import java.util.Optional;

/** The task of a recorded run, as far as its record tells. */
record RecordedSample(String id, String task, Optional<String> truth) implements Sample {
    static RecordedSample of(RunInfo run) {
        String sample = run.correlation().sample();
        return new RecordedSample(
                sample == null ? run.runId() : sample,
                run.task().text(),
                Optional.ofNullable(run.expectedAnswer())
                        .filter(truth -> !truth.isAltered())
                        .map(Content::text));
    }

    /** Returns 1: records do not tell its line. */
    @Override
    public int row() {
        return 1;
    }
}
