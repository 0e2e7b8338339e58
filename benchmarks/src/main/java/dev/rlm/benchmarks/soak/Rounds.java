package dev.rlm.benchmarks.soak;

import dev.rlm.benchmarks.Receiver;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.Sinks;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * The rounds of a soak. In each a faulty sink comes and goes, in every second one the back end is gone or refuses for a
 * while, and runs go on all the time; at its end everything comes to rest, and what the process then holds is noted.
 */
final class Rounds implements AutoCloseable {
    private static final int WARM_UP = 5_000; // more runs than the hub remembers
    private static final long KEEP_BYTES = 24_000_000;
    private static final long DISK_BOUND = KEEP_BYTES + 12_000_000; // open and not yet compressed files come on top
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final Path journal;
    private final PrintWriter progress;
    private final Receiver receiver = new Receiver();
    private final Witness witness = new Witness();
    private final Sinks hub;
    private final Crew crew;
    private final LongRuns longRuns;
    private final Guests guests;
    private final long start = System.nanoTime();
    private final List<Sample> samples = new ArrayList<>();
    private final Set<String> complaints = new LinkedHashSet<>();
    private int number;

    Rounds(Path folder, PrintWriter progress) throws IOException {
        this.journal = folder;
        this.progress = progress;
        hub = Sinks.builder()
                .config(SinkConfig.of(Map.of(
                        "RLM_JSONL_DIR", folder.toString(),
                        "RLM_JSONL_ROTATE_SIZE", "2MB",
                        "RLM_JSONL_KEEP_SIZE", KEEP_BYTES + "B",
                        "RLM_HEARTBEAT", "1s",
                        "RLM_OTEL_ENABLED", "true",
                        "OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf",
                        "OTEL_EXPORTER_OTLP_ENDPOINT", receiver.endpoint().toString())))
                .add(Ledgers.WITNESS, witness)
                .build();
        crew = new Crew(hub);
        longRuns = new LongRuns(hub);
        guests = new Guests(hub);
        crew.hurry(WARM_UP);
        crew.start();
    }

    /** Does a round of about this length. */
    void next(long nanos, CountDownLatch stop) throws IOException, InterruptedException {
        number++;
        longRuns.nextRound();
        String what;
        try (Guests.Guest guest = guests.welcome()) {
            what = guest + ", " + whileTheBackEndFails(() -> stop.await(nanos / 2, TimeUnit.NANOSECONDS));
        }
        var unused = stop.await(nanos / 2, TimeUnit.NANOSECONDS);
        crew.atRest(() -> note(what));
    }

    private String whileTheBackEndFails(Waiting waiting) throws IOException, InterruptedException {
        if (number % 4 == 1) {
            receiver.goDown();
            waiting.await();
            receiver.comeBack();
            return "back end down";
        } else if (number % 4 == 3) {
            receiver.refuse();
            waiting.await();
            receiver.take();
            return "back end refusing";
        }
        waiting.await();
        return "back end up";
    }

    private void note(String what) {
        if (!hub.flush(PATIENCE).isComplete()) {
            progress.println("  not all has arrived");
        }
        complaints.addAll(Ledgers.complaints(hub));
        Sample sample = Sample.take((System.nanoTime() - start) / 1e9, journal);
        samples.add(sample);
        progress.println(String.format(
                Locale.ROOT,
                "%5.0f s: %d runs, %d events, %d heartbeats; heap %.2f MiB, %d threads, %d open files, journal %.1f MiB; %s",
                sample.seconds(),
                witness.ended(),
                witness.events(),
                witness.heartbeats(),
                sample.heap() / 1048576.0,
                sample.threads(),
                sample.descriptors(),
                sample.disk() / 1048576.0,
                what));
        progress.flush();
    }

    /** Ends everything, reads the journal back, and judges. */
    SoakVerdict verdict() throws InterruptedException {
        longRuns.close();
        crew.close();
        hub.flush(PATIENCE);
        hub.close(PATIENCE);
        complaints.addAll(Ledgers.complaintsAtEnd(hub, witness));
        long runs = crew.runs() + longRuns.started();
        if (witness.started() != runs || witness.ended() != runs) {
            complaints.add(
                    runs + " runs were done, " + witness.started() + " starts and " + witness.ended() + " ends came");
        }
        if (witness.heartbeats() < number) {
            complaints.add("long runs were open for " + number + " rounds, and only " + witness.heartbeats()
                    + " heartbeats came");
        }
        complaints.addAll(RecordCheck.complaints(journal, crew.latest()));
        hub.statuses().forEach(status -> progress.println(status.name() + ": " + status.ledger()));
        progress.println("the back end: " + receiver);
        progress.flush();
        return SoakVerdict.of(samples, List.copyOf(complaints), DISK_BOUND);
    }

    @Override
    public void close() throws InterruptedException {
        crew.close();
        hub.close(Duration.ofSeconds(1));
        receiver.close();
    }

    /** Something that takes its time. */
    @FunctionalInterface
    private interface Waiting {
        boolean await() throws InterruptedException;
    }
}
