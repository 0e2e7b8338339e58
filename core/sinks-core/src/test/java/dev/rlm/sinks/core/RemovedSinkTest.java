package dev.rlm.sinks.core;

import static dev.rlm.sinks.core.Faults.LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Sink;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.LedgerReported;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RunStarted;
import java.lang.ref.WeakReference;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Sinks that are taken away while a hub goes on. */
@Timeout(120)
class RemovedSinkTest {
    private final Recorder kept = new Recorder() {
        @Override
        public boolean isDurable() {
            return true;
        }
    };

    @Test
    void removedSink_isLetGoOf_whileItsRunsAreKnown() {
        try (Sinks sinks = Sinks.builder().add("kept", kept).build()) {
            WeakReference<Sink> removed = add(sinks, new Recorder());
            Run open = sinks.startRun(RunSpec.builder("env").runId("open").build());
            sinks.startRun(RunSpec.builder("env").runId("ended").build()).complete("");
            sinks.publish(new RunStarted(Faults.RUN, 1));
            assertThat(sinks.remove("removed")).isTrue();
            awaitLetGoOf(removed);

            assertThat(sinks.reward("ended", "judge", 1, List.of())).isTrue();
            assertThat(sinks.reward("open", "judge", 1, List.of())).isTrue();
            open.makeCurrent().close();
            open.complete("");
            assertThat(sinks.flush(LONG).isComplete()).isTrue();
            assertThat(kept.events(RewardGiven.class)).hasSize(2);
        }
    }

    @Tag("thorough")
    @Test
    void eventsForARemovedSink_areCounted_beforeAndAfterItIsLetGoOf() {
        try (Sinks sinks = Sinks.builder().add("kept", kept).build()) {
            for (int i = 0; i < 2; i++) {
                WeakReference<Sink> removed = add(sinks, new Recorder());
                Run run = sinks.startRun(RunSpec.builder("env").build());
                assertThat(sinks.remove("removed")).isTrue();
                run.startStep();
                awaitLetGoOf(removed);
                run.startStep();
                run.abort("");
            }
        }
        // each time the run's start arrived, and two steps' starts and ends and the run's end did not
        assertThat(lastReport().sinks().get("removed"))
                .isEqualTo(new LedgerReported.SinkLedger(12, 2, new TreeMap<>(Map.of("closed", 10L)), 0));
    }

    @Test
    void sinkThatRemovedItself_isLetGoOf() {
        try (Sinks sinks = Sinks.builder().add("kept", kept).build()) {
            WeakReference<Sink> removed = add(sinks, new Recorder() {
                @Override
                public void onEvent(Event event) {
                    sinks.remove("removed");
                }
            });
            sinks.startRun(RunSpec.builder("env").build()).complete("");
            awaitLetGoOf(removed);
            assertThat(sinks.get("removed")).isEmpty();
        }
    }

    private static WeakReference<Sink> add(Sinks sinks, Sink sink) {
        sinks.add("removed", sink);
        return new WeakReference<>(sink);
    }

    private static void awaitLetGoOf(WeakReference<Sink> removed) {
        await().atMost(LONG).until(() -> {
            System.gc();
            return removed.get() == null;
        });
    }

    private LedgerReported lastReport() {
        List<LedgerReported> reports = kept.events(LedgerReported.class);
        return reports.get(reports.size() - 1);
    }
}
