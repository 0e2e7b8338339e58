package dev.rlm.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.Ledger;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Sink;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.RunEnded;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class DrainWaitTest {
    private static final Duration MOST = Duration.ofSeconds(30);

    private final CountDownLatch answer = new CountDownLatch(1);

    private Ledger drained(Consumer<Event> answers, boolean arrived) {
        Sink sink = new Sink() {
            @Override
            public void onEvent(Event event) {
                answers.accept(event);
            }
        };
        try (Sinks sinks = Sinks.builder().add("slow", sink).build()) {
            Run run = sinks.startRun(RunSpec.builder("calc").build());
            if (arrived) {
                sinks.flush(MOST);
            }
            run.complete("");
            new DrainWait(sinks).await(MOST);
            Ledger ledger = sinks.statuses().get(0).ledger();
            answer.countDown();
            return ledger;
        }
    }

    @Test
    void sinkAtWhichSomethingHasArrived_hasFiveSecondsForTheNext() {
        Consumer<Event> answers = event -> {
            if (event instanceof RunEnded) {
                await(4_000); // longer than one is waited for at which nothing has
            }
        };

        assertThat(drained(answers, true)).returns(2L, Ledger::delivered).returns(0L, Ledger::queued);
    }

    @Test
    void sinkAtWhichNothingArrives_isNotAwaitedToTheEnd() {
        assertThat(drained(event -> await(MOST.toMillis()), false).queued()).isPositive();
    }

    private void await(long millis) {
        try {
            assertThat(answer.await(millis, TimeUnit.MILLISECONDS)).isIn(true, false);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
