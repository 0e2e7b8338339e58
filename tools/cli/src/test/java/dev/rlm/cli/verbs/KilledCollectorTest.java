package dev.rlm.cli.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.rlm.cli.launcher.RlmProcess;
import dev.rlm.cli.testkit.OtlpJson;
import dev.rlm.journal.Journal;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.testkit.FreePort;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A collector and its senders, which are killed again and again: each span that was acknowledged is in the journal, once.
 * {@code -Drlm.test.kills=500} goes on for longer than the usual few.
 */
@Timeout(3600)
class KilledCollectorTest {
    private static final int KILLS = Integer.getInteger("rlm.test.kills", 4);
    private static final long SEED = Long.getLong("fuzz.seed", 29);
    private static final int TRACES = 60; // within which it is killed
    /** Usual number of each call that writes, of one thread and so many traces. */
    private static final Map<String, Integer> CALLS =
            new TreeMap<>(Map.of("write", 40, "writev", 15, "fdatasync", 15, "fsync", 2, "mkdir", 3, "ftruncate", 1));

    @TempDir
    private Path folder;

    private final Random random = new Random(SEED);
    private final ExecutorService senders = Executors.newCachedThreadPool();

    @SuppressWarnings("NullAway.Init") // by each test
    private CollectProcess collector;

    private int acknowledged; // traces, whose number is the next one's

    @AfterEach
    void close() {
        senders.shutdownNow();
        if (collector != null) {
            collector.close();
        }
    }

    @Tag("thorough")
    @Tag("smoke")
    @Test
    void spansThatWereAcknowledged_areThereOnce() throws Exception {
        for (int kill = 0; kill < KILLS; kill++) {
            collector = start();
            sendUntilKilled(acknowledged + 1 + random.nextInt(TRACES));
        }
        assertAcknowledged();
    }

    @Tag("thorough")
    @Test
    void spansThatWereAcknowledged_areThereOnce_whateverCallTheCollectorIsKilledAt() throws Exception {
        assumeTrue(straceWorks(), "strace is not here, or may not trace");
        int killed = 0;
        for (int kill = 0; kill < KILLS; kill++) {
            String call = List.copyOf(CALLS.keySet()).get(random.nextInt(CALLS.size()));
            int when = 1 + random.nextInt(CALLS.getOrDefault(call, 1));
            collector = CollectProcess.start(strace(call, "signal=KILL:when=" + when), folder, List.of());
            killed += collector.listens() && collector.rlm().process().isAlive() ? 0 : 1;
            if (collector.listens()) {
                killed += sendUntilKilled(acknowledged + TRACES) ? 1 : 0;
            }
            collector.close();
        }
        System.out.println(killed + " of " + KILLS + " were killed at the call that was chosen for them");
        assertAcknowledged();
    }

    /** A system tells of lines that it could not write once: the next sync of the same file, by another thread, succeeds. */
    @Tag("thorough")
    @Test
    void spansWhoseSyncFailed_areNotAcknowledged_byALaterSync() throws Exception {
        assumeTrue(straceWorks(), "strace is not here, or may not trace");
        Path file = folder.resolve(".rlm/collect/spans-1.jsonl");
        String fault = "error=EIO:delay_enter=2000000:when=3"; // of each thread, so that others succeed
        collector = CollectProcess.start(strace("fdatasync", fault, "-P", file.toString()), folder, List.of());
        Map<Integer, Integer> statuses = new HashMap<>();
        while (!statuses.containsValue(503)) {
            assertThat(statuses).hasSizeLessThan(1_000);
            int first = statuses.size() + 1;
            List<CompletableFuture<Integer>> answers = IntStream.range(first, first + 8)
                    .mapToObj(trace -> CompletableFuture.supplyAsync(() -> post(trace), senders))
                    .toList();
            answers.forEach(answer -> statuses.put(statuses.size() + 1, answer.join()));
        }
        List<Integer> inOrder = new ArrayList<>(); // of the lines in the file
        for (String line : Files.readAllLines(file)) {
            statuses.forEach((trace, status) -> {
                if (line.contains("%032x".formatted(trace))) {
                    inOrder.add(status);
                }
            });
        }
        assertThat(inOrder.subList(inOrder.indexOf(503), inOrder.size())).containsOnly(503);
        statuses.forEach((trace, status) -> assertThat(post(trace)).isEqualTo(200));
        awaitRuns(statuses.size());
    }

    private int post(int trace) {
        Map<String, String> chat = Map.of("gen_ai.operation.name", "chat");
        try {
            return collector.send(OtlpJson.span(trace, 1, 0, "chat", chat)).statusCode();
        } catch (Exception e) {
            throw new CompletionException(e);
        }
    }

    /** Sends a last trace, and checks that all that it acknowledged is in the journal once. */
    private void assertAcknowledged() throws Exception {
        collector = start();
        CollectSender.send(collector.url(), 0, acknowledged);
        awaitRuns(acknowledged + 1);
        assertThere(0, acknowledged);
    }

    private void awaitRuns(int count) {
        await().atMost(CollectProcess.PATIENCE)
                .untilAsserted(() -> assertThat(collector.runs())
                        .hasSize(count)
                        .allMatch(run -> run.row().end() != null));
    }

    private void assertThere(int sender, int last) {
        Journal journal = collector.journal();
        for (int trace = 0; trace <= last; trace++) {
            List<RunEvent> run = journal.events(CollectSender.id(sender, trace));
            assertThat(run)
                    .filteredOn(ModelCalled.class::isInstance)
                    .as("trace " + trace)
                    .hasSize(2);
            assertThat(run)
                    .filteredOn(RunEnded.class::isInstance)
                    .map(event -> ((RunEnded) event).outcome())
                    .as("trace " + trace)
                    .containsExactly(Outcome.COMPLETED);
        }
    }

    private CollectProcess start(String... options) throws Exception {
        return CollectProcess.start(List.of(), folder, List.of(), options);
    }

    /**
     * Goes on while it is killed, so that this may happen at any moment.
     *
     * @return whether it was killed before by another
     */
    private boolean sendUntilKilled(int killAt) throws Exception {
        CompletableFuture<Void> killed = new CompletableFuture<>();
        boolean byOther = true;
        while (true) {
            if (acknowledged == killAt) {
                byOther = false;
                killed = CompletableFuture.runAsync(this::kill);
            }
            try {
                CollectSender.send(collector.url(), 0, acknowledged);
            } catch (IOException e) {
                assertThat(byOther || killed.thenApply(any -> true).join()).isTrue();
                assertThat(collector.rlm().process().waitFor()).isEqualTo(137);
                return byOther; // and it is sent again to the next one
            }
            acknowledged++;
        }
    }

    private void kill() {
        collector.rlm().process().descendants().forEach(ProcessHandle::destroyForcibly);
        collector.rlm().process().destroyForcibly();
    }

    @Tag("thorough")
    @Test
    void spansOfSendersThatAreKilled_areThereOnce() throws Exception {
        String port = Integer.toString(FreePort.find());
        Map<Integer, Integer> last = new HashMap<>(); // trace that was acknowledged, by sender
        collector = start("--port", port, "--grpc-port", "0");
        for (int round = 0; round < KILLS; round++) {
            List<RlmProcess> senders = List.of(sender(2 * round + 1), sender(2 * round + 2));
            for (RlmProcess each : senders) {
                awaitTraces(each, 1 + random.nextInt(TRACES));
            }
            if (random.nextBoolean()) { // they try again until it is back
                collector.kill();
                collector = start("--port", port, "--grpc-port", "0");
                for (RlmProcess each : senders) {
                    awaitTraces(each, traces(each) + 1);
                }
            }
            for (int i = 0; i < senders.size(); i++) {
                senders.get(i).close();
                senders.get(i).process().waitFor();
                last.put(2 * round + 1 + i, traces(senders.get(i)) - 1);
            }
        }
        last.forEach((sender, trace) -> {
            if (trace >= 0) {
                assertThat(collector.events(CollectSender.id(sender, trace))).isNotEmpty();
                assertThere(sender, trace);
            }
        });
        assertThat(collector.runs()).allMatch(run -> run.runId().length() == 32); // no part came later
    }

    private RlmProcess sender(int number) throws IOException {
        Path own = Files.createDirectory(folder.resolve("sender-" + number));
        return RlmProcess.start(own, Map.of(), CollectSender.class, collector.url(), Integer.toString(number));
    }

    private static void awaitTraces(RlmProcess sender, int count) throws IOException {
        sender.await(() -> traces(sender) >= count);
    }

    /** Returns how many traces it says were acknowledged, in whole lines. */
    private static int traces(RlmProcess sender) throws IOException {
        return (int) sender.out().chars().filter(each -> each == '\n').count();
    }

    private static List<String> strace(String call, String fault, String... more) {
        return Stream.concat(
                        Stream.of("strace", "-f", "-qq", "-o", "/dev/null", "--seccomp-bpf", "-e", "trace=" + call),
                        Stream.concat(Stream.of("-e", "inject=" + call + ":" + fault), Stream.of(more)))
                .toList();
    }

    private static boolean straceWorks() throws InterruptedException {
        try {
            return new ProcessBuilder("strace", "-f", "-qq", "--seccomp-bpf", "-o", "/dev/null", "true")
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException e) {
            return false;
        }
    }
}
