package dev.rlm.benchmarks.fleet;

import dev.rlm.benchmarks.Machine;
import dev.rlm.benchmarks.RlmUnderLoad;
import dev.rlm.benchmarks.TemporaryFolder;
import dev.rlm.benchmarks.fleet.EventTemplate.TemplateRun;
import dev.rlm.journal.Journal;
import dev.rlm.sinks.event.StepEnded;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * The command that sends the events of many runners to one {@code rlm collect}, and compares the journal with what was
 * acknowledged.
 */
@Command(
        name = "fleet",
        description = "Sends rlm collect the events of many runners, a connection each, and tells what it takes,"
                + " refuses and keeps. Exit code 1 where anything acknowledged is missing.",
        mixinStandardHelpOptions = true)
public final class Fleet implements Callable<Integer> {
    private static final int STEPS_A_RUN = 20;
    private static final int SPANS_A_RUN =
            2 + 3 * STEPS_A_RUN; // its own, its marker, and of each step a call of a model and of a tool
    private static final int FAILING = 20; // one run of so many
    private static final int TEMPLATES = 40; // runners that are recorded
    private static final long RAMP_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final double HIGH = 0.99;
    private static final double SECOND = 1e9;
    private static final double MIB = 1 << 20;
    private static final Duration REST = Duration.ofMillis(100); // of processor time in a second, without work
    private static final int MOST_DRAIN_SECONDS = 180;

    /** Place at which runs that went well are left out. */
    enum Mode {
        /** Nowhere. */
        ALL,
        /** In the OpenTelemetry sink of the collector, which keeps all in its journal. */
        COLLECTOR
    }

    @Spec
    @SuppressWarnings("NullAway.Init") // set before call()
    private CommandSpec spec;

    @Option(
            names = "--runners",
            split = ",",
            paramLabel = "N",
            description = "How many; several are done in turn (${DEFAULT-VALUE}).")
    private List<Integer> runners = List.of(100, 300, 1_000);

    @Option(
            names = "--mode",
            split = ",",
            paramLabel = "MODE",
            description = "${COMPLETION-CANDIDATES}: where sampling is done (${DEFAULT-VALUE}).")
    private List<Mode> modes = List.of(Mode.values());

    @Option(names = "--rate", paramLabel = "N", description = "Steps of a runner in a second (${DEFAULT-VALUE}).")
    private double rate = 10;

    @Option(
            names = "--seconds",
            paramLabel = "N",
            description = "How long, and a third of it is warm-up (${DEFAULT-VALUE}).")
    private int seconds = 60;

    @Option(
            names = "--share",
            paramLabel = "R",
            description = "Of runs that went well, where some are left out (${DEFAULT-VALUE}).")
    private double share = 0.01;

    @Option(names = "--heap", paramLabel = "SIZE", description = "Of rlm collect (${DEFAULT-VALUE}).")
    private String heap = "1g";

    @Option(names = "--texts", paramLabel = "FILE", description = "JSON lines whose strings are the texts.")
    private @Nullable Path texts;

    Fleet() {}

    @Override
    public Integer call() throws Exception {
        say(
                "%s; load %.1f",
                Machine.line(), ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
        int runs = (int) Math.max(1, Math.ceil(seconds * rate / STEPS_A_RUN / 3));
        TemplateRecorder recorder =
                new TemplateRecorder(runs, STEPS_A_RUN, rate, FAILING, TemplateRecorder.texts(texts));
        boolean isComplete = true;
        List<EventTemplate> templates = recorder.record(TEMPLATES);
        for (Mode mode : modes) {
            for (int count : runners) {
                isComplete &= measure(mode, count, templates);
            }
        }
        return isComplete ? 0 : 1;
    }

    private void say(String format, Object... values) {
        PrintWriter out = spec.commandLine().getOut();
        out.println(String.format(Locale.ROOT, format, values));
        out.flush();
    }

    private Map<String, String> sampling() {
        return Map.of("RLM_OTEL_SUCCESS_RATIO", Double.toString(share));
    }

    private boolean measure(Mode mode, int count, List<EventTemplate> templates) throws Exception {
        Map<Long, Integer> forwarded = new ConcurrentHashMap<>(); // spans, by the beginning of the trace id
        try (TemporaryFolder folder = TemporaryFolder.create("fleet");
                Receiver backend = new Receiver(request -> count(request, forwarded))) {
            Map<String, String> variables = new HashMap<>();
            if (mode == Mode.COLLECTOR) {
                variables.putAll(sampling());
                variables.put("RLM_OTEL_ENABLED", "true");
                variables.put("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf");
                variables.put("OTEL_EXPORTER_OTLP_ENDPOINT", backend.endpoint());
            }
            FleetCounts counts = new FleetCounts();
            try (RlmUnderLoad collect = new RlmUnderLoad(folder.path(), List.of("-Xmx" + heap), variables, "collect")) {
                say("%n%s, %d runners, %.0f steps/s", mode, count, count * rate);
                load(collect, count, templates, counts);
                say("rlm collect: %s", collect.stop());
            }
            return compare(mode, folder.path(), counts, forwarded);
        }
    }

    /** Counts the spans of a request: each begins with its trace id and its own id. */
    private static void count(Receiver.Received request, Map<Long, Integer> spans) {
        byte[] body = request.body();
        for (int i = 0; request.isTraces() && i + 20 < body.length; i++) {
            if (body[i] == 0x0a && body[i + 1] == 16 && body[i + 18] == 0x12 && body[i + 19] == 8) {
                spans.merge(ByteBuffer.wrap(body).getLong(i + 2), 1, Integer::sum);
            }
        }
    }

    private void load(RlmUnderLoad collect, int count, List<EventTemplate> templates, FleetCounts counts)
            throws Exception {
        Duration cpuBefore = collect.processorTime();
        long start = System.nanoTime();
        List<Thread> threads = new ArrayList<>();
        int loops = 3;
        long length = templates.get(0).nanos();
        for (int i = 0; i < count; i++) {
            EventTemplate template = templates.get(i % templates.size());
            long begin = start + RAMP_NANOS * i / count;
            Thread thread = new Thread(new SimulatedRunner(collect.port(), template, begin, loops, counts));
            thread.start();
            threads.add(thread);
        }
        TimeUnit.NANOSECONDS.sleep(start + RAMP_NANOS + length - System.nanoTime());
        counts.clearTimes();
        long warmSteps = counts.steps.sum();
        long warm = System.nanoTime();
        TimeUnit.NANOSECONDS.sleep(start + loops * length - System.nanoTime());
        double perSecond = (counts.steps.sum() - warmSteps) * SECOND / (System.nanoTime() - warm);
        double busy = collect.processorTime().minus(cpuBefore).toNanos() / (double) (System.nanoTime() - start);
        for (Thread thread : threads) {
            thread.join();
        }
        double sending = (System.nanoTime() - start) / SECOND;
        int drain = drain(collect);
        Duration cpu = collect.processorTime().minus(cpuBefore);
        int done = templates.stream()
                        .mapToInt(each -> each.runs().size() * STEPS_A_RUN)
                        .sum()
                * loops
                * count
                / templates.size();
        say("steps: %,d done by runners, %,d acknowledged, %,.0f/s while warm", done, counts.steps.sum(), perSecond);
        say(
                "requests: %,d sent on %,d connections, %,d refused and retried, %,d unanswered and retried, %,d given up",
                counts.requests.sum(),
                counts.connections.sum(),
                counts.refusals.sum(),
                counts.unanswered.sum(),
                counts.givenUp.sum());
        say(
                "ms to the answer: p50 %.1f, p99 %.1f; since it was due: p50 %.1f, p99 %.1f",
                counts.latencyMillis(0.5),
                counts.latencyMillis(HIGH),
                counts.delayMillis(0.5),
                counts.delayMillis(HIGH));
        say(
                "seconds: %.0f sending, %d more until all is in runs; load of the machine %.1f",
                sending, drain, ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
        say(
                "collector: at most %d MB resident, %.0f s of processor time, %.2f processors under load, %.0f µs a step",
                collect.mostResident() / 1024, cpu.toNanos() / SECOND, busy, cpu.toNanos() / 1e3 / done);
        say("wire: %,d bytes a step", counts.bytes.sum() / done);
    }

    /** Waits until the collector does nothing any more; returns for how many seconds it did. */
    private static int drain(RlmUnderLoad collect) throws InterruptedException {
        int busy = 0;
        int quiet = 0;
        for (int second = 1; quiet < 8 && second < MOST_DRAIN_SECONDS; second++) { // longer than runs are quiet
            Duration before = collect.processorTime();
            TimeUnit.SECONDS.sleep(1);
            quiet = collect.processorTime().minus(before).compareTo(REST) < 0 ? quiet + 1 : 0;
            busy = quiet == 0 ? second : busy;
        }
        return busy;
    }

    private boolean compare(Mode mode, Path folder, FleetCounts counts, Map<Long, Integer> forwarded)
            throws IOException {
        Map<String, TemplateRun> expected = counts.acknowledged;
        Map<String, Integer> steps = new HashMap<>();
        Journal journal = Journal.open(folder);
        journal.read(journal.runs(), Set.of(StepEnded.class), (run, events) -> steps.put(run.runId(), events.size()));
        long runsLost = journal.runs().isEmpty()
                ? expected.size()
                : expected.keySet().stream()
                        .filter(id -> !steps.containsKey(id))
                        .count();
        long stepsExpected = (long) STEPS_A_RUN * expected.size();
        long stepsFound = expected.keySet().stream()
                .mapToLong(id -> steps.getOrDefault(id, 0))
                .sum();
        long failed = expected.values().stream().filter(TemplateRun::failed).count();
        long failedKept = expected.entrySet().stream()
                .filter(each -> each.getValue().failed()
                        && (mode == Mode.COLLECTOR
                                ? forwarded.getOrDefault(trace(each.getKey()), 0) == SPANS_A_RUN
                                : steps.getOrDefault(each.getKey(), 0) == STEPS_A_RUN))
                .count();
        say(
                "journal: %,d of %,d acknowledged runs and %,d of their %,d steps; %,d runs in all",
                expected.size() - runsLost, expected.size(), stepsFound, stepsExpected, steps.size());
        say(
                "failed runs whole%s: %,d of %,d",
                mode == Mode.COLLECTOR ? " behind the collector" : "", failedKept, failed);
        if (mode == Mode.COLLECTOR) {
            long whole = expected.entrySet().stream()
                    .filter(each ->
                            !each.getValue().failed() && forwarded.getOrDefault(trace(each.getKey()), 0) == SPANS_A_RUN)
                    .count();
            say(
                    "behind the collector: %,d of %,d other runs whole, %,d spans",
                    whole,
                    expected.size() - failed,
                    forwarded.values().stream().mapToLong(Integer::longValue).sum());
        }
        double collected = size(folder.resolve("collect"));
        double all = size(folder);
        say(
                "disk: %.0f bytes a step in the journal (%.0f MiB), %.0f MiB in collect",
                (all - collected) / stepsExpected, (all - collected) / MIB, collected / MIB);
        return runsLost == 0 && stepsFound == stepsExpected && failedKept == failed;
    }

    /** The beginning of the run's trace id, by the rule of the OpenTelemetry sink. */
    private static long trace(String runId) {
        try {
            MessageDigest sha256 = MessageDigest.getInstance("SHA-256");
            return ByteBuffer.wrap(sha256.digest(runId.getBytes(StandardCharsets.US_ASCII)))
                    .getLong();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private static long size(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(Files::isRegularFile)
                    .mapToLong(file -> file.toFile().length())
                    .sum();
        }
    }
}
