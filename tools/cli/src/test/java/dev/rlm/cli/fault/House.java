package dev.rlm.cli.fault;

import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rlm.engine.EpisodeResult;
import dev.rlm.journal.Journal;
import dev.rlm.sinks.Ledger;
import dev.rlm.sinks.Sink;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkStatus;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunStarted;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.event.ToolCalled;
import dev.rlm.sinks.jsonl.JsonlSink;
import dev.rlm.sinks.otel.OtelSink;
import dev.rlm.sinks.otel.backend.OtlpReceiver;
import dev.rlm.sinks.otel.backend.OtlpSpan;
import dev.rlm.sinks.testkit.InMemorySink;
import dev.rlm.sinks.testkit.fault.Callback;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;

/**
 * A whole house: a hub with the journal, OpenTelemetry and its back end, and a sink in memory, beside which lives whoever
 * is to do harm. Its clock can be put forward.
 */
final class House implements AutoCloseable {
    static final String HOSTILE = "hostile";
    static final String SECRET = "s3cret-of-the-house";

    private static final List<String> USUAL = List.of("jsonl", "otel", "memory");
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final Path journal;
    private final OtlpReceiver receiver = OtlpReceiver.start();
    private final InMemorySink memory = new InMemorySink();
    private final HubLog log = new HubLog();
    private final AtomicLong ahead = new AtomicLong();
    private Sinks sinks = Sinks.builder().build(); // until it is open
    private int jobs;

    private House(Path folder) throws IOException {
        journal = folder.resolve("journal");
    }

    /** One whose first sink is the hostile one, added by hand. */
    static House beside(Path folder, Sink hostile) throws IOException {
        House house = new House(folder);
        Sink jsonl = JsonlSink.builder().directory(house.journal).build();
        Sink otel = OtelSink.builder()
                .endpoint(URI.create(house.receiver.httpEndpoint()))
                .build();
        house.open(Sinks.builder().add(HOSTILE, hostile).add("jsonl", jsonl).add("otel", otel));
        return house;
    }

    /** One with what the variables say beside the usual. */
    static House with(Path folder, Map<String, String> variables) throws IOException {
        House house = new House(folder);
        Map<String, String> all = new HashMap<>(Map.of(
                "RLM_JSONL_DIR", house.journal.toString(),
                "RLM_OTEL_ENABLED", "true",
                "OTEL_EXPORTER_OTLP_ENDPOINT", house.receiver.httpEndpoint()));
        all.putAll(variables);
        OtelSink.builder()
                .endpoint(URI.create(house.receiver.httpEndpoint()))
                .build()
                .close(); // loads its classes
        house.open(Sinks.builder().config(SinkConfig.of(all)));
        return house;
    }

    private void open(Sinks.Builder builder) {
        sinks = builder.add("memory", memory)
                .secret(SECRET)
                .clocks(InstantSource.system(), () -> System.nanoTime() + ahead.get())
                .build();
        assertThat(USUAL)
                .as(() -> "made, of " + sinks.statuses())
                .allMatch(name -> sinks.get(name).isPresent());
    }

    Sinks sinks() {
        return sinks;
    }

    OtlpReceiver receiver() {
        return receiver;
    }

    HubLog log() {
        return log;
    }

    InMemorySink memory() {
        return memory;
    }

    void putClockForward(Duration time) {
        ahead.addAndGet(time.toNanos());
    }

    /** Does the work, which must come to what it comes to where nobody watches. */
    void work() {
        String name = "job" + ++jobs;
        List<EpisodeResult> results = Work.done(name, sinks);
        assertThat(results).isEqualTo(Work.unwatched(name));
    }

    boolean flush() {
        return sinks.flush(PATIENCE).isComplete();
    }

    SinkStatus status(String name) {
        return sinks.statuses().stream()
                .filter(status -> status.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    Ledger ledger(String name) {
        return status(name).ledger();
    }

    // ---- at rest

    /** Whether, after the close, all sinks but the hostile one have every event of all jobs. */
    void isCompleteElsewhere() {
        long runs = (long) jobs * Work.RUNS;
        for (String name : USUAL) {
            isBalanced(name);
            assertThat(ledger(name).dropped()).as("dropped by %s", name).isEmpty();
        }
        List<RunEvent> recorded = journaled();
        assertThat(count(recorded, RunStarted.class)).as("runs").isEqualTo(runs);
        assertThat(keys(recorded)).containsExactlyInAnyOrderElementsOf(keys(memory.events(RunEvent.class)));
        hasSpansOf(recorded);
    }

    /** All events of the journal, of whose runs each is whole. */
    List<RunEvent> journaled() {
        Journal open = Journal.open(journal);
        assertThat(open.damagedLines()).as("damaged lines").isZero();
        return open.runs().stream()
                .flatMap(run -> whole(open.events(run.run().runId())).stream())
                .toList();
    }

    private static List<RunEvent> whole(List<RunEvent> events) {
        assertThat(events)
                .extracting(RunEvent::seq)
                .containsExactlyElementsOf(
                        LongStream.rangeClosed(1, events.size()).boxed().toList());
        assertThat(events)
                .filteredOn(RunEnded.class::isInstance)
                .singleElement()
                .satisfies(end -> assertThat(end.seq()).isLessThanOrEqualTo(events.size()));
        return events;
    }

    private void hasSpansOf(List<RunEvent> recorded) {
        Map<String, Long> spans = receiver.spans().stream().collect(groupingBy(OtlpSpan::name, counting()));
        long runs = count(recorded, RunStarted.class);
        assertThat(spans)
                .containsEntry("rlm.run", runs)
                .containsEntry("rlm.run.started", runs)
                .containsEntry("rlm.step", count(recorded, StepEnded.class))
                .containsEntry("execute_tool calculator", count(recorded, ToolCalled.class));
        assertThat(receiver.spans()).extracting(OtlpSpan::spanId).doesNotHaveDuplicates();
    }

    private static long count(List<RunEvent> events, Class<?> kind) {
        return events.stream().filter(kind::isInstance).count();
    }

    private static List<String> keys(List<RunEvent> events) {
        return events.stream()
                .map(event -> event.getClass().getSimpleName() + " " + event.seq() + " of "
                        + event.run().runId())
                .toList();
    }

    /** Whether nothing is queued any more, and what was offered is what came of it. */
    Ledger isBalanced(String name) {
        Ledger ledger = ledger(name);
        assertThat(ledger.queued()).as("queued for %s: %s", name, ledger).isZero();
        assertThat(ledger.delivered() + ledger.droppedTotal())
                .as("delivered + dropped of %s: %s", name, ledger)
                .isEqualTo(ledger.offered());
        return ledger;
    }

    /** The hostile sink's ledger, by which it was offered all that a healthy one was, and lost some for these reasons alone. */
    Ledger lostBy(String... reasons) {
        Ledger ledger = isBalanced(HOSTILE);
        assertThat(ledger.offered()).as("offered").isEqualTo(memory.events().size());
        assertThat(ledger.dropped().keySet()).as("reasons").containsExactlyInAnyOrder(reasons);
        return ledger;
    }

    /** What was said of the hostile sink: its cause, no line twice, and no secret. */
    void saidOnce(String cause) {
        said(cause, 1);
    }

    /** Likewise, where each line may come so many times. */
    void said(String cause, int times) {
        List<String> lines = log.of(HOSTILE);
        assertThat(lines).hasSizeBetween(1, Callback.values().length).anyMatch(line -> line.contains(cause));
        assertThat(lines.stream().collect(groupingBy(line -> line, counting())).values())
                .as("repetitions in %s", lines)
                .allMatch(count -> count <= times);
        assertThat(log.all()).noneMatch(line -> line.contains(SECRET));
    }

    /** Closes the hub, in its own time; a close cuts off what goes to a back end, which may be slow on a busy machine. */
    void shut() {
        await().atMost(PATIENCE).until(() -> ledger("otel").queued() == 0);
        sinks.close();
    }

    @Override
    public void close() {
        sinks.close();
        receiver.close();
        log.close();
    }

    /** The events of that kind that the healthy sink in memory has. */
    <E extends Event> List<E> events(Class<E> kind) {
        return memory.events(kind);
    }
}
