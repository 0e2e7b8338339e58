package dev.rlm.benchmarks.journal;

import dev.rlm.benchmarks.redaction.VariedTexts;
import dev.rlm.sinks.FlushResult;
import dev.rlm.sinks.Ledger;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.jsonl.JsonlSink;
import java.nio.file.Path;
import java.time.Duration;

/** The hub with the journal, which redacts and syncs in groups; closed files stay plain, as the others' do. */
final class Journaled implements Recorder {
    private static final String NAME = "jsonl";
    private static final Duration LONG = Duration.ofMinutes(1);
    private static final int ASKED_EVERY = 256; // steps between two questions whether there is room

    private final Sinks hub;

    Journaled(Path folder) {
        hub = Sinks.builder()
                .add(NAME, JsonlSink.builder().directory(folder).compress(false).build())
                .build();
    }

    @Override
    public Track track() {
        Run run = hub.startRun(
                RunSpec.builder("benchmark").task("a task").model("model").build());
        return number -> {
            if (number % ASKED_EVERY == 0 && !hub.awaitRoom(LONG)) {
                throw new IllegalStateException("no room in a minute");
            }
            step(run, number);
        };
    }

    private static void step(Run run, int number) {
        try (Step step = run.startStep(VariedTexts.observation(number))) {
            step.action("run_python", VariedTexts.code(number));
            step.complete(VariedTexts.output(number));
        }
    }

    @Override
    public void close() {
        FlushResult flushed = hub.flush(LONG);
        hub.close(LONG);
        Ledger ledger = hub.statuses().get(0).ledger();
        if (!Boolean.TRUE.equals(flushed.sinks().get(NAME)) || ledger.queued() != 0 || ledger.lost() != 0) {
            throw new IllegalStateException("not all is on the disk: " + ledger);
        }
    }
}
