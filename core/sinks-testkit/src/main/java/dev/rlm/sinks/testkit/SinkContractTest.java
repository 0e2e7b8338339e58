package dev.rlm.sinks.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.rlm.sinks.Ledger;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Scope;
import dev.rlm.sinks.Sink;
import dev.rlm.sinks.SinkStatus;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.ToolCall;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.Place;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RewardGivenBuilder;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.RunStarted;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.event.StepEndedBuilder;
import dev.rlm.sinks.event.StepStarted;
import dev.rlm.sinks.event.TraceContext;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The contract of every sink, as a test to extend:
 *
 * <pre>{@code
 * class MySinkTest extends SinkContractTest {
 *     @Override
 *     protected Sink newSink() {
 *         return new MySink(...);
 *     }
 *
 *     @Override
 *     protected String everythingWritten() {
 *         return backEnd.received();
 *     }
 * }
 * }</pre>
 *
 * <p>The sink is to be a healthy one, whose back end answers. It is driven through a hub, as it is in use, and directly
 * where its exceptions must be seen.
 */
@Timeout(120) // a sink that hangs fails the test
public abstract class SinkContractTest {
    /** A value that each hub of these tests knows to be a secret. */
    protected static final String SECRET = "contract-s3cret-value";

    private static final String NAME = "x";
    private static final int THREADS = 8;
    private static final long EVENTS_OF_A_RUN = 12; // see record

    /** A new sink that works. Called once or twice in each test. */
    protected abstract Sink newSink() throws Exception;

    /** All that the sinks of this test have brought to their back end, as text: ids of runs, and what text it keeps. */
    protected abstract String everythingWritten() throws Exception;

    /**
     * Returns the number of events that the sinks of this test have brought to their back end; empty if it is not
     * known.
     */
    protected OptionalLong arrived() throws Exception {
        return OptionalLong.empty();
    }

    /** Returns whether the sink takes no events of this kind by choice, as the ledger then says; no unless overridden. */
    protected boolean leavesOut(Event event) {
        return false;
    }

    /** Returns the time that a flush may take; 20 s unless overridden. */
    protected Duration flushTimeout() {
        return Duration.ofSeconds(20);
    }

    // ---- events

    @Test
    void everyKind_full_isTaken() throws Exception {
        takesWithoutThrowing(Events.full("run"));
    }

    @Test
    void everyKind_minimal_isTaken() throws Exception {
        takesWithoutThrowing(Events.minimal("run"));
    }

    @Test
    void eventsOfUnknownRuns_areTaken() throws Exception {
        List<Event> orphans = new ArrayList<>();
        for (Event event : Events.full("run")) {
            orphans.add(Events.full("orphan-" + orphans.size(), event.getClass()));
        }
        accountsFor(orphans);
    }

    @Test
    void events_inReverse_areTaken() throws Exception {
        List<Event> reversed = new ArrayList<>(Events.full("run"));
        Collections.reverse(reversed);
        accountsFor(reversed);
    }

    @Test
    void startsAndEnds_repeated_areTaken() throws Exception {
        List<Event> repeated = new ArrayList<>();
        Events.full("run").forEach(event -> repeated.addAll(List.of(event, event)));
        repeated.addAll(Events.minimal("run"));
        accountsFor(repeated);
    }

    @ParameterizedTest
    @MethodSource
    void text_ofAnyKind_isTaken(String text) throws Exception {
        takesWithoutThrowing(Events.full("run", text));
    }

    static List<String> text_ofAnyKind_isTaken() {
        return List.of(
                "",
                "\uD800 lone \uDC00 surrogates \uDBFF",
                "\u0000\u0001\t\r\n\u001B[31m\u007F\u0085\u2028\u2029\uFFFF",
                "😀 e\u0301 \u202Eright to left \"quoted\" \\ </script> {json: [",
                "x".repeat(1 << 20),
                "😀".repeat(1 << 16));
    }

    @ParameterizedTest
    @ValueSource(
            doubles = {
                Double.NaN,
                Double.POSITIVE_INFINITY,
                Double.NEGATIVE_INFINITY,
                Double.MAX_VALUE,
                Double.MIN_VALUE,
                -0.0,
                -1e300
            })
    void reward_ofAnyValue_isTaken(double value) throws Exception {
        StepStarted step = Events.full("run", StepStarted.class);
        StepEnded end = Events.full("run", StepEnded.class);
        RewardGiven reward = Events.full("run", RewardGiven.class);
        takesWithoutThrowing(List.of(
                step,
                RewardGivenBuilder.builder()
                        .run(step.run())
                        .seq(3)
                        .nanos(reward.nanos())
                        .step(1)
                        .source("judge")
                        .value(value)
                        .startNanos(reward.startNanos())
                        .build(),
                StepEndedBuilder.builder()
                        .started(step)
                        .seq(4)
                        .nanos(end.nanos())
                        .actionType("")
                        .code(end.code())
                        .output(end.output())
                        .success(true)
                        .reward(value)
                        .cumulativeReward(value)
                        .tags(end.tags())
                        .build()));
    }

    @Test
    void ledgerReport_isTaken() throws Exception {
        throwsNothing(List.of(Events.ledgerReported()));
    }

    private void takesWithoutThrowing(List<Event> events) throws Exception {
        throwsNothing(events);
        List<Event> offered = offered(events);
        long leftOut = offered.stream().filter(this::leavesOut).count();
        allArrive(sinks -> events.forEach(sinks::publish), offered.size(), leftOut);
    }

    /** Those that the sink has a place for. */
    private List<Event> offered(List<Event> events) throws Exception {
        try (Sink sink = newSink()) {
            return offered(sink, events);
        }
    }

    private static List<Event> offered(Sink sink, List<Event> events) {
        return events.stream()
                .filter(event -> event instanceof RunEvent || sink.accepts(event.type()))
                .toList();
    }

    /** Events that make no whole runs may be dropped, if that is counted, or wait until the close. */
    private void accountsFor(List<Event> events) throws Exception {
        throwsNothing(events);
        Sinks sinks = hub(newSink());
        try (sinks) {
            events.forEach(sinks::publish);
            assertThat(sinks.flush(flushTimeout()).isComplete()).as("flush").isTrue();
            addsUp(status(sinks).ledger());
        }
        Ledger ledger = status(sinks).ledger();
        addsUp(ledger);
        assertThat(ledger.offered()).as("offered").isEqualTo(offered(events).size() + ledgersTold(sinks));
        assertThat(ledger.queued()).as("queued").isZero();
    }

    private void throwsNothing(List<Event> events) throws Exception {
        try (Sink sink = newSink()) {
            for (Event event : events) {
                assertThatCode(() -> sink.onEvent(event))
                        .as("%s", event.getClass())
                        .doesNotThrowAnyException();
            }
            sink.onBatchEnd();
            assertThat(sink.flush(flushTimeout())).as("flush").isTrue();
        }
    }

    // ---- the ledger

    @Test
    void recordedRuns_allArrive() throws Exception {
        allArrive(sinks -> recordRuns(sinks, 3, "plain"), 3 * EVENTS_OF_A_RUN);
    }

    @Test
    void hundredsOfRuns_interleaved_allArrive() throws Exception {
        int runs = 400;
        allArrive(
                sinks -> {
                    List<Run> open = new ArrayList<>();
                    for (int i = 0; i < runs; i++) {
                        open.add(sinks.startRun(spec(i, "interleaved").build()));
                    }
                    onThreads(thread -> {
                        for (int i = thread; i < runs; i += THREADS) {
                            record(open.get(i), "interleaved");
                        }
                    });
                },
                runs * EVENTS_OF_A_RUN);
    }

    @Test
    void ledger_whileEventsCome_addsUp() throws Exception {
        try (Sinks sinks = hub(newSink())) {
            AtomicBoolean done = new AtomicBoolean();
            ExecutorService reader = Executors.newSingleThreadExecutor();
            Future<?> reading = reader.submit(() -> {
                while (!done.get()) {
                    addsUp(status(sinks).ledger());
                }
            });
            recordRuns(sinks, 200, "read meanwhile");
            done.set(true);
            reading.get();
            reader.shutdown();
        }
    }

    private void allArrive(Consumer<Sinks> recording, long events) throws Exception {
        allArrive(recording, events, 0);
    }

    private void allArrive(Consumer<Sinks> recording, long events, long leftOut) throws Exception {
        OptionalLong before = arrived();
        Sinks sinks = hub(newSink());
        try (sinks) {
            recording.accept(sinks);
            assertThat(sinks.flush(flushTimeout()).isComplete()).as("flush").isTrue();
            assertThat(sinks.flush(flushTimeout()).isComplete())
                    .as("flush of the ledger that the first told")
                    .isTrue();
            hasDelivered(status(sinks), events + ledgersTold(sinks), leftOut);
        }
        hasDelivered(status(sinks), events + ledgersTold(sinks), leftOut);
        if (before.isPresent()) {
            assertThat(arrived()).as("arrived").hasValue(before.getAsLong() + events + ledgersTold(sinks));
        }
    }

    /** A sink that keeps the record is told the ledger, once where nothing comes of anything between flush and close. */
    private static long ledgersTold(Sinks sinks) {
        return sinks.get(NAME).filter(Sink::isDurable).isPresent() ? 1 : 0;
    }

    private static void hasDelivered(SinkStatus status, long events, long leftOut) {
        Ledger ledger = status.ledger();
        addsUp(ledger);
        if (leftOut == 0) {
            assertThat(ledger.dropped()).as("dropped").isEmpty();
        }
        assertThat(ledger.losses()).as("lost").isEmpty();
        assertThat(ledger.offered()).as("offered").isEqualTo(events);
        assertThat(ledger.delivered()).as("delivered").isEqualTo(events - leftOut);
        assertThat(ledger.queued()).as("queued").isZero();
    }

    private static void addsUp(Ledger ledger) {
        assertThat(ledger.queued()).as("queued").isNotNegative();
        assertThat(ledger.delivered() + ledger.droppedTotal() + ledger.queued())
                .as("delivered + dropped + queued")
                .isEqualTo(ledger.offered());
    }

    // ---- flush, close, questions

    @Test
    void flush_idle_succeeds() throws Exception {
        try (Sinks sinks = hub(newSink())) {
            assertThat(sinks.flush(flushTimeout()).isComplete()).isTrue();
            assertThat(sinks.flush(flushTimeout()).isComplete()).isTrue();
        }
    }

    @Test
    void flush_withoutTime_returns() throws Exception {
        try (Sink sink = newSink()) {
            Events.full("run").forEach(sink::onEvent);
            assertThatCode(() -> sink.flush(Duration.ZERO)).doesNotThrowAnyException();
        }
    }

    @Test
    void close_repeated_doesNothing() throws Exception {
        Sink sink = newSink();
        Events.full("run").forEach(sink::onEvent);
        sink.close();
        assertThatCode(sink::close).doesNotThrowAnyException();
    }

    @Test
    void close_withoutEvents_works() throws Exception {
        Sink sink = newSink();
        assertThatCode(sink::close).doesNotThrowAnyException();
    }

    @Test
    void questions_onAnyThreadAtAnyTime_areAnswered() throws Exception {
        Sink sink = newSink();
        onThreads(thread -> answers(sink));
        try (Sinks sinks = hub(sink)) {
            onThreads(thread -> {
                recordRuns(sinks, 5, "asked meanwhile");
                answers(sink);
            });
        }
        onThreads(thread -> answers(sink));
    }

    /** A hub would hide what goes wrong: it goes on without the scope. */
    @Test
    void scopes_onManyThreads_areOfTheirPlaces() throws Exception {
        StepStarted start = Events.full("run", StepStarted.class);
        Place ofRun = Place.of(start.run());
        Place ofStep = Place.of(start);
        try (Sink sink = newSink()) {
            sink.onEvent(new RunStarted(start.run(), 1));
            sink.onEvent(start);
            Optional<TraceContext> run = sink.traceContext(ofRun);
            Optional<TraceContext> step = sink.traceContext(ofStep);
            onThreads(thread -> {
                for (int i = 0; i < 100; i++) {
                    try (Scope outer = sink.openScope(ofRun)) {
                        try (Scope inner = sink.openScope(ofStep)) {
                            assertThat(inner.traceContext()).as("of the step").isEqualTo(step);
                        }
                        assertThat(outer.traceContext()).as("of the run").isEqualTo(run);
                    }
                }
            });
        }
    }

    private static void answers(Sink sink) {
        for (String runId : List.of("run-0", "never heard of", "../../etc/passwd", "😀\u0000 /?#%")) {
            assertThat(sink.location(runId)).isNotNull();
        }
        assertThat(sink.recordPath()).isNotNull();
        oneCleanLine(sink.status().detail());
        Sink.Acknowledged acknowledged = sink.acknowledged();
        if (acknowledged != null) {
            assertThat(acknowledged.delivered()).isNotNegative();
        }
        RunInfo run = Events.full("scope", RunEvent.class).run();
        assertThat(sink.traceContext(Place.of(run))).isNotNull();
        assertThat(sink.traceContext(Place.of(Events.full("scope", StepStarted.class))))
                .isNotNull();
        try (Scope outer = sink.openScope(Place.of(run));
                Scope inner = sink.openScope(Place.of(Events.full("scope", StepStarted.class)))) {
            assertThat(outer).isNotNull();
            assertThat(inner).isNotNull();
        }
    }

    @Test
    void status_healthy_isOneLineWithoutSecrets() throws Exception {
        Sinks sinks = hub(newSink());
        try (sinks) {
            recordRuns(sinks, 1, SECRET);
            assertThat(sinks.flush(flushTimeout()).isComplete()).isTrue();
            assertThat(status(sinks).available()).as("available").isTrue();
            oneCleanLine(status(sinks).detail());
        }
        oneCleanLine(status(sinks).detail());
    }

    private static void oneCleanLine(String detail) {
        assertThat(detail).doesNotContain("\n", "\r", SECRET);
    }

    @Test
    void secrets_anywhereInARun_areNotWritten() throws Exception {
        try (Sinks sinks = hub(newSink())) {
            Run run = sinks.startRun(spec(0, "before " + SECRET + " after")
                    .runId("run-with-secrets")
                    .build());
            record(run, "before " + SECRET + " after");
            assertThat(sinks.flush(flushTimeout()).isComplete()).isTrue();
        }
        assertThat(everythingWritten()).contains("run-with-secrets").doesNotContain(SECRET);
    }

    // ---- under supervision

    @Test
    void patience_isMoreThanACallTakes_andLessThanForEver() throws Exception {
        try (Sink sink = newSink()) {
            assertThat(sink.patience()).isBetween(Duration.ofSeconds(1), Duration.ofDays(30));
            assertThat(sink.patience()).as("asked again").isEqualTo(sink.patience());
        }
    }

    /** A hub that has lost its patience interrupts the call, and closes the sink once the call has returned. */
    @Test
    void interrupts_inTheMiddleOfCalls_loseNothingWithoutCountingIt() throws Exception {
        OptionalLong before = arrived();
        Sink sink = newSink();
        long events = handOverInterrupted(sink, 50);
        Thread closing = new Thread(sink::close);
        closing.start();
        closing.join();

        Sink.Acknowledged acknowledged = sink.acknowledged();
        if (acknowledged != null) {
            long dropped = acknowledged.dropped().values().stream()
                    .mapToLong(Long::longValue)
                    .sum();
            assertThat(acknowledged.delivered() + dropped)
                    .as("delivered + dropped")
                    .isEqualTo(events);
        }
        if (before.isPresent()) {
            long least = acknowledged == null ? 0 : acknowledged.delivered();
            assertThat(arrived().getAsLong() - before.getAsLong())
                    .as("arrived, none twice")
                    .isBetween(least, events);
        }
        recordedRuns_allArrive(); // by the sink that takes its place
    }

    /** Hands over whole runs on a thread that is interrupted again and again; returns how many events there were. */
    private static long handOverInterrupted(Sink sink, int runs) throws Exception {
        AtomicLong events = new AtomicLong();
        FutureTask<Boolean> handingOver = new FutureTask<>(() -> {
            for (int run = 0; run < runs; run++) {
                for (Event event : offered(sink, Events.full("interrupted-" + run))) {
                    events.incrementAndGet();
                    withoutErrors(() -> sink.onEvent(event));
                }
                withoutErrors(sink::onBatchEnd);
            }
            return true;
        });
        Thread lane = new Thread(handingOver);
        PrintStream out = System.out;
        PrintStream err = System.err;
        PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);
        System.setOut(
                nowhere); // a build may listen by channels, which close where an interrupted thread says something
        System.setErr(nowhere);
        try {
            lane.start();
            while (lane.isAlive()) {
                lane.interrupt();
                lane.join(1);
            }
        } finally {
            System.setOut(out);
            System.setErr(err);
        }
        assertThat(handingOver.get()).as("no error ends the thread").isTrue();
        return events.get();
    }

    /** An interrupted or late call may throw: the hub counts the event. An error would end its thread, and fails the test. */
    @SuppressWarnings("EmptyCatch") // see above
    private static void withoutErrors(Runnable call) {
        try {
            call.run();
        } catch (RuntimeException e) {
            // see above
        }
    }

    @Test
    void calls_afterTheClose_returnAndHarmNothing() throws Exception {
        Sink sink = newSink();
        Events.full("run").forEach(sink::onEvent);
        sink.close();
        OptionalLong closed = arrived();

        Events.full("run").forEach(event -> withoutErrors(() -> sink.onEvent(event)));
        withoutErrors(sink::onBatchEnd);
        withoutErrors(() -> sink.flush(Duration.ZERO));
        withoutErrors(() -> sink.beginClose(Duration.ZERO));
        assertThatCode(sink::close).doesNotThrowAnyException();

        if (closed.isPresent()) {
            assertThat(arrived().getAsLong()).as("arrived").isGreaterThanOrEqualTo(closed.getAsLong());
        }
        answers(sink);
        recordedRuns_allArrive();
    }

    // ---- runs

    private static Sinks hub(Sink sink) {
        return Sinks.builder().add(NAME, sink).secret(SECRET).build();
    }

    private static SinkStatus status(Sinks sinks) {
        return sinks.statuses().get(0);
    }

    private static void recordRuns(Sinks sinks, int runs, String text) {
        for (int i = 0; i < runs; i++) {
            record(sinks.startRun(spec(i, text).build()), text);
        }
    }

    private static RunSpec.Builder spec(int number, String text) {
        return RunSpec.builder("contract")
                .task("task: " + text)
                .model("a-model")
                .maxSteps(2)
                .seed(number)
                .param("param", List.of(text))
                .tag("tag", text);
    }

    /** One run of every shape of event that the handles make; half of the runs fail. */
    private static void record(Run run, String text) {
        try (run) {
            try (Step step = run.startStep("sees " + text);
                    ToolCall tool = step.startToolCall("calculator")) {
                step.action("calculate", "code " + text);
                step.tag("tag", text);
                tool.arguments("arguments " + text).result("result " + text);
                step.startModelCall("openai", "a-model")
                        .message("user", text)
                        .reply(text)
                        .close();
                step.reward(-0.5);
                step.complete("output " + text);
            }
            try (Step step = run.startStep();
                    ToolCall tool = step.startToolCall("calculator")) {
                tool.fail(13, "error " + text);
                step.rewardAbsent("judge", "absent " + text);
                step.fail("output " + text, "error " + text);
            }
            run.reward(1.0);
            run.metric("turns", 2);
            run.fail(new IllegalStateException("failed: " + text));
        }
    }

    private static void onThreads(ThreadTask task) {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                int thread = i;
                all.add(threads.submit(() -> task.run(thread)));
            }
            for (Future<?> one : all) {
                one.get();
            }
        } catch (Exception e) {
            throw new AssertionError(e);
        } finally {
            threads.shutdownNow();
        }
    }

    private interface ThreadTask {
        void run(int thread);
    }
}
