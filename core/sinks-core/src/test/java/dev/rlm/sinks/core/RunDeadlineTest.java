package dev.rlm.sinks.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.rlm.sinks.Evaluation;
import dev.rlm.sinks.Ledger;
import dev.rlm.sinks.ModelCall;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunStatus;
import dev.rlm.sinks.event.StepEnded;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Time passes where a test says so: the timer looks again and again, and goes by the hub's clock. */
@Timeout(120)
class RunDeadlineTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration LIMIT = Duration.ofMillis(20);

    private final AtomicLong nanos = new AtomicLong();
    private final Recorder sink = new Recorder();
    private final Sinks sinks = Sinks.builder()
            .add("x", sink)
            .clocks(Instant::now, nanos::get)
            .heartbeat(Duration.ZERO)
            .build();

    @AfterEach
    void close() {
        sinks.close();
    }

    @Test
    void run_thatTakesTooLong_hasFailed_andWhatItRecordsLaterIsNoLoss() {
        Run run = sinks.startRun(spec().timeout(LIMIT).build());
        Step step = run.startStep();
        Evaluation evaluation = step.startEvaluation("judge");
        ModelCall call = step.startModelCall("openai", "m");
        nanos.addAndGet(LIMIT.toNanos());
        awaitEvents(RunEnded.class, 1);
        evaluation.reward(1);
        call.reply("too late").close();
        run.startStep().complete("");
        step.complete("");
        run.reward(1);
        run.complete("too late");
        run.close();

        assertThat(sink.events())
                .extracting(Event::getClass)
                .extracting(Class::getSimpleName)
                .containsExactly("RunStarted", "StepStarted", "ModelCalled", "RewardGiven", "StepEnded", "RunEnded");
        assertThat(sink.only(RewardGiven.class).isAbsent()).isTrue();
        assertThat(sink.only(StepEnded.class).errorType()).isEqualTo(StepEnded.ABORTED);
        RunEnded end = sink.only(RunEnded.class);
        assertThat(end.outcome()).isEqualTo(Outcome.FAILED);
        assertThat(end.status().code()).isEqualTo(RunStatus.DEADLINE_EXCEEDED);
        assertThat(end.status().message()).isEqualTo("the run took longer than 0.02 s");
        assertThat(end.errorType()).isEqualTo("java.util.concurrent.TimeoutException");
        assertThat(end.nanos()).isEqualTo(LIMIT.toNanos());
        assertThat(ledger().dropped()).isEmpty();
    }

    @Test
    void step_thatTakesTooLong_hasFailed_andTheRunGoesOn() {
        Run run = sinks.startRun(spec().stepTimeout(LIMIT).build());
        Step slow = run.startStep();
        slow.action("run", "loop()");
        nanos.addAndGet(LIMIT.toNanos() / 2);
        Step later = run.startStep();
        nanos.addAndGet(LIMIT.toNanos() / 2);
        awaitEvents(StepEnded.class, 1);
        slow.tag("too", "late");
        slow.complete("");
        later.complete("");
        Step last = run.startStep();
        nanos.addAndGet(LIMIT.toNanos());
        awaitEvents(StepEnded.class, 3);
        last.close();
        run.complete("");
        sinks.close();

        StepEnded end = sink.events(StepEnded.class).get(0);
        assertThat(end.step()).isEqualTo(1);
        assertThat(end.success()).isFalse();
        assertThat(end.errorType()).isEqualTo(StepEnded.DEADLINE_EXCEEDED);
        assertThat(String.valueOf(end.error())).contains("the step took longer than 0.02 s");
        assertThat(end.code().text()).isEqualTo("loop()");
        assertThat(end.duration()).isEqualTo(LIMIT);
        assertThat(sink.events(StepEnded.class)).extracting(StepEnded::success).containsExactly(false, true, false);
        assertThat(sink.only(RunEnded.class).outcome()).isEqualTo(Outcome.COMPLETED);
        assertThat(sink.only(RunEnded.class).steps()).isEqualTo(3);
        assertThat(ledger().dropped()).isEmpty();
    }

    @Test
    void deadline_ofARunWhoseLockIsHeld_holdsUpNoOther_andComesWhenItCan() {
        Run held = sinks.startRun(spec().runId("held").timeout(LIMIT).build());
        sinks.startRun(spec().runId("free").timeout(LIMIT).build());
        StuckComponents stuck = new StuckComponents();
        stuck.holdTheLockOf(held);
        nanos.addAndGet(LIMIT.toNanos());
        awaitEvents(RunEnded.class, 1);
        assertThat(sink.only(RunEnded.class).run().runId()).isEqualTo("free");
        stuck.open();
        awaitEvents(RunEnded.class, 2);

        assertThat(sink.events(RunEnded.class)).extracting(RunEnded::outcome).containsOnly(Outcome.FAILED);
    }

    @Test
    void deadline_racingTheRunsOwnEnd_leavesOneEnd() {
        for (int i = 0; i < 300; i++) {
            Run run = sinks.startRun(spec().runId("r" + i)
                    .timeout(Duration.ofMillis(1))
                    .stepTimeout(Duration.ofMillis(1))
                    .build());
            Step step = run.startStep();
            Threads.together(() -> nanos.addAndGet(1_000_000), () -> {
                step.complete("");
                run.complete("");
            });
        }
        sinks.close();

        assertThat(sink.events(RunEnded.class)).hasSize(300);
        assertThat(sink.events(StepEnded.class)).hasSize(300);
        assertThat(ledger().queued()).isZero();
    }

    @Test
    void limit_thatIsNotAboveZero_isRefused() {
        assertThatThrownBy(() -> spec().timeout(Duration.ZERO).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("the timeout must be above 0, was PT0S");
        assertThatThrownBy(() -> spec().stepTimeout(Duration.ofNanos(-1)).build())
                .isInstanceOf(IllegalArgumentException.class);
        sinks.startRun(spec().timeout(Duration.ofSeconds(Long.MAX_VALUE)).build())
                .complete("");
    }

    private void awaitEvents(Class<? extends Event> kind, int count) {
        await().atMost(PATIENCE).until(() -> sink.events(kind).size() >= count);
    }

    private Ledger ledger() {
        return sinks.statuses().get(0).ledger();
    }

    private static RunSpec.Builder spec() {
        return RunSpec.builder("env");
    }
}
