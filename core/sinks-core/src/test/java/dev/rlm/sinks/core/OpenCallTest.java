package dev.rlm.sinks.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rlm.sinks.Ledger;
import dev.rlm.sinks.ModelCall;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.ToolCall;
import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.Message;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunStatus;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.event.ToolCalled;
import dev.rlm.sinks.event.Usage;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What becomes of calls that go on while their run ends: they are in its record, and told once. */
@Timeout(120)
class OpenCallTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration LIMIT = Duration.ofMillis(20);
    private static final String LEFT = "the run ended before the call";
    private static final int RACES = 500;

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

    /** How a run comes to its end. */
    private enum End {
        COMPLETE,
        TRUNCATE,
        FAIL,
        ABORT,
        LEAVE,
        CLOSE_THE_HUB,
        DEADLINE
    }

    private void end(Run run, End how) {
        switch (how) {
            case COMPLETE -> run.complete("");
            case TRUNCATE -> run.truncate("max_steps", "");
            case FAIL -> run.fail(new IllegalStateException());
            case ABORT -> run.abort("stopped");
            case LEAVE -> run.close();
            case CLOSE_THE_HUB -> sinks.close();
            case DEADLINE -> nanos.addAndGet(LIMIT.toNanos());
        }
    }

    @ParameterizedTest
    @EnumSource
    void callsThatGoOn_endBeforeTheStepAndTheRun_andAreNoLoss(End how) {
        Run run = start();
        Step step = run.startStep();
        ToolCall tool = step.startToolCall("search");
        ModelCall ofTheRun = run.startModelCall("p", "m");
        end(run, how);
        awaitEnd();
        tool.fail(RunStatus.INTERNAL, "interrupted");
        tool.close();
        ofTheRun.fail("interrupted");
        ofTheRun.close();
        sinks.close();

        assertThat(sink.events())
                .extracting(Event::getClass)
                .extracting(Class::getSimpleName)
                .containsExactly("RunStarted", "StepStarted", "ToolCalled", "ModelCalled", "StepEnded", "RunEnded");
        assertThat(sink.events(RunEvent.class)).extracting(RunEvent::seq).containsExactly(1L, 2L, 3L, 4L, 5L, 6L);
        ToolCalled called = sink.only(ToolCalled.class);
        assertThat(called.step()).isEqualTo(1);
        assertThat(called.statusCode()).isEqualTo(RunStatus.CANCELLED);
        assertThat(called.error()).hasToString(LEFT);
        assertThat(sink.only(ModelCalled.class).error()).hasToString(LEFT);
        assertThat(sink.only(ModelCalled.class).step()).isZero();
        assertThat(ledger().dropped()).isEmpty();
        assertThat(ledger().delivered()).isEqualTo(6);
    }

    @Test
    void whatIsKnownByThen_isInTheRecord() {
        Run run = start();
        Step step = run.startStep();
        nanos.addAndGet(1);
        ModelCall model = step.startModelCall("openai", "m").parameter("temperature", 0.5);
        model.message("user", "hello")
                .message("", "nobody says who")
                .messageParts(" ", parts -> {})
                .retries(2);
        nanos.addAndGet(2);
        model.firstToken();
        step.startToolCall("search").arguments("{}").callId("c1");
        nanos.addAndGet(4);
        run.complete("");
        sinks.close();

        ModelCalled called = sink.only(ModelCalled.class);
        assertThat(called.parameters()).isEqualTo(Map.of("temperature", 0.5));
        assertThat(called.messages()).extracting(Message::role).containsExactly("user", "unknown", "unknown");
        assertThat(called.retries()).isEqualTo(2);
        assertThat(called.startNanos()).isEqualTo(1);
        assertThat(called.firstTokenNanos()).isEqualTo(3);
        assertThat(called.nanos()).isEqualTo(7);
        assertThat(called.reply()).isNull();
        assertThat(sink.only(ToolCalled.class).arguments()).hasToString("{}");
        assertThat(sink.only(ToolCalled.class).callId()).isEqualTo("c1");
        assertThat(sink.only(ToolCalled.class).duration()).isEqualTo(Duration.ofNanos(4));
    }

    @Test
    void callThatHadFailedBefore_keepsItsError() {
        Run run = start();
        run.startToolCall("search").fail(RunStatus.INVALID_ARGUMENT, "no such page");
        run.startModelCall("p", "m").fail("overloaded");
        run.complete("");
        sinks.close();

        assertThat(sink.only(ToolCalled.class).statusCode()).isEqualTo(RunStatus.INVALID_ARGUMENT);
        assertThat(sink.only(ToolCalled.class).error()).hasToString("no such page");
        assertThat(sink.only(ModelCalled.class).error()).hasToString("overloaded");
    }

    @Test
    void newsOfACallThatItsRunHasEnded_isCounted() {
        Run run = start();
        ModelCall model = run.startModelCall("p", "m");
        ToolCall tool = run.startToolCall("search");
        run.complete("");
        model.reply("too late").usage(new Usage(1L, 2L, null, null));
        tool.result("too late");
        sinks.close();

        assertThat(sink.only(ModelCalled.class).reply()).isNull();
        assertThat(sink.only(ToolCalled.class).result().isEmpty()).isTrue();
        assertThat(ledger().dropped()).isEqualTo(Map.of("after_end", 3L));
    }

    @Test
    void failureOfACallThatWasClosed_isCounted() {
        Run run = start();
        ToolCall tool = run.startToolCall("search");
        tool.close();
        tool.fail(RunStatus.INTERNAL, "too late");
        run.complete("");
        tool.fail(RunStatus.INTERNAL, "too late");

        assertThat(ledger().dropped()).isEqualTo(Map.of("after_end", 2L));
    }

    @Test
    void callThatStartsAfterTheEnd_isCountedOnce() {
        Run run = start();
        Step step = run.startStep();
        run.complete("");
        try (ToolCall call = step.startToolCall("late")) {
            call.arguments("{}").result("too late");
            assertThat(call.traceContext()).isEqualTo(step.traceContext());
        }
        run.startModelCall("p", "m").close();
        sinks.close();

        assertThat(sink.events()).last().isInstanceOf(RunEnded.class);
        assertThat(ledger().dropped()).isEqualTo(Map.of("after_end", 2L));
    }

    @Test
    void call_outlastsItsStep() {
        Run run = start();
        Step step = run.startStep();
        ToolCall prefetch = step.startToolCall("prefetch");
        step.complete("");
        prefetch.result("found");
        prefetch.close();
        run.complete("");
        sinks.close();

        assertThat(sink.only(ToolCalled.class).step()).isEqualTo(1);
        assertThat(sink.only(ToolCalled.class).failed()).isFalse();
        assertThat(sink.only(ToolCalled.class).seq())
                .isGreaterThan(sink.only(StepEnded.class).seq());
    }

    @Test
    void callOfAJudge_endsBeforeItsReward() {
        Run run = start();
        run.startEvaluation("judge").startModelCall("p", "m");
        run.complete("");
        sinks.close();

        List<Event> events = sink.events();
        assertThat(events.indexOf(sink.only(ModelCalled.class)))
                .isLessThan(events.indexOf(sink.only(RewardGiven.class)));
        assertThat(sink.only(ModelCalled.class).parentSeq())
                .isEqualTo(sink.only(RewardGiven.class).seq());
    }

    /** The agent holds its own handle too: no lock of anybody's is in the way. */
    @Test
    void callThatIsClosedWhileItsRunEnds_isRecordedOnce() {
        for (int i = 0; i < RACES; i++) {
            Run run = start();
            Step step = run.startStep();
            ToolCall call = step.startToolCall("search");
            call.result("found");
            Threads.together(
                    () -> {
                        synchronized (call) {
                            call.close();
                        }
                    },
                    () -> run.complete(""));
        }
        sinks.close();

        assertThat(sink.events(ToolCalled.class)).hasSize(RACES).allSatisfy(call -> {
            assertThat(call.result()).hasToString("found");
            assertThat(call.error()).isIn(null, Content.redacted(LEFT));
        });
        assertThat(sink.events(RunEnded.class)).hasSize(RACES);
        assertThat(ledger().dropped()).isEmpty();
    }

    /** What is said of a call is in its event, or was counted. */
    @Test
    void whatIsSaidOfACallWhileItsRunEnds_isRecordedOrCounted() {
        for (int i = 0; i < RACES; i++) {
            Run run = start();
            ToolCall call = run.startToolCall("search");
            Threads.together(() -> call.result("found"), () -> run.complete(""));
        }
        sinks.close();

        long without = sink.events(ToolCalled.class).stream()
                .filter(call -> call.result().isEmpty())
                .count();
        assertThat(sink.events(ToolCalled.class)).hasSize(RACES);
        assertThat(ledger().dropped().getOrDefault("after_end", 0L)).isEqualTo(without);
    }

    /** A call that was closed before the run could end has ended by itself, whoever tells of it. */
    @Test
    void callThatIsClosedBeforeItsRunEnds_hasNoError() throws InterruptedException {
        Run run = start();
        ToolCall call = run.startToolCall("search");
        StuckComponents stuck = new StuckComponents();
        Thread holder = stuck.holdTheLockOf(run);
        Thread closing = new Thread(call::close);
        Thread ending = new Thread(() -> run.complete(""));
        closing.start();
        await().atMost(PATIENCE).until(() -> closing.getState() == Thread.State.WAITING);
        ending.start();
        await().atMost(PATIENCE).until(() -> ending.getState() == Thread.State.WAITING);
        stuck.open();
        for (Thread each : List.of(holder, closing, ending)) {
            each.join();
        }
        sinks.close();

        assertThat(sink.only(ToolCalled.class).failed()).isFalse();
        assertThat(ledger().dropped()).isEmpty();
    }

    private Run start() {
        return sinks.startRun(RunSpec.builder("env").timeout(LIMIT).build());
    }

    private void awaitEnd() {
        await().atMost(PATIENCE).until(() -> !sink.events(RunEnded.class).isEmpty());
    }

    private Ledger ledger() {
        sinks.flush(PATIENCE);
        return sinks.statuses().get(0).ledger();
    }
}
