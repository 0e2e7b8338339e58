package dev.rlm.sinks.core;

import static dev.rlm.sinks.core.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.StepEnded;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(300)
class ThreadModelTest {
    private static final int FIRST_WITH_VIRTUAL_THREADS = 21;

    @Test
    void platformThreads_loseNothingAndKeepTheOrder() throws Exception {
        ExecutorService threads = Executors.newCachedThreadPool();
        try {
            ThreadStress.run(threads);
        } finally {
            threads.shutdownNow();
        }
    }

    /** With two carriers: one that a waiting thread kept would be felt, two would stop everything. */
    @Test
    void virtualThreads_loseNothingAndKeepTheOrder(@TempDir Path folder) throws Exception {
        Optional<Path> java = newerJava();
        assumeTrue(java.isPresent(), "no Java with virtual threads (21 or newer) is installed here");
        Path said = folder.resolve("said");
        Process program = new ProcessBuilder(
                        java.orElseThrow().toString(),
                        "-Djdk.virtualThreadScheduler.parallelism=2",
                        "-cp",
                        System.getProperty("java.class.path"),
                        ThreadStress.class.getName())
                .redirectErrorStream(true)
                .redirectOutput(said.toFile())
                .start();
        try {
            program.waitFor();
        } finally {
            program.destroyForcibly();
        }

        assertThat(Files.readString(said)).endsWith("done\n");
    }

    /** The program {@code java} of this process's Java or another that is installed, if one has virtual threads. */
    private static Optional<Path> newerJava() throws IOException {
        Path installed = Path.of("/usr/lib/jvm");
        try (Stream<Path> others = Files.isDirectory(installed) ? Files.list(installed) : Stream.empty()) {
            return Stream.concat(Stream.of(Path.of(System.getProperty("java.home"))), others)
                    .filter(home -> version(home) >= FIRST_WITH_VIRTUAL_THREADS)
                    .map(home -> home.resolve("bin/java"))
                    .filter(Files::isExecutable)
                    .findFirst();
        }
    }

    private static int version(Path home) {
        Properties release = new Properties();
        try (var reader = Files.newBufferedReader(home.resolve("release"))) {
            release.load(reader);
        } catch (IOException e) {
            return 0;
        }
        String version = release.getProperty("JAVA_VERSION", "0").replace("\"", "");
        return Integer.parseInt(version.replaceFirst("\\D.*", ""));
    }

    @Test
    void tags_ofManyThreads_areAllThere() {
        Recorder sink = new Recorder();
        try (Sinks sinks = Sinks.builder().add("x", sink).build();
                Run run = sinks.startRun(RunSpec.builder("env").build());
                Step step = run.startStep()) {
            Threads.together(Collections.nCopies(4, (Threads.Task) () -> {
                        for (int i = 0; i < 500; i++) {
                            step.tag(Thread.currentThread().getName() + " " + i, "");
                        }
                    })
                    .toArray(Threads.Task[]::new));
            step.complete("");
        }

        assertThat(sink.only(StepEnded.class).tags()).hasSize(2000);
    }

    @Test
    void close_whileAThreadHoldsARunsLock_endsTheOthers() {
        Recorder sink = new Recorder();
        Sinks sinks = Sinks.builder().add("x", sink).build();
        Run held = sinks.startRun(RunSpec.builder("env").runId("held").build());
        Run free = sinks.startRun(RunSpec.builder("env").runId("free").build());
        StuckComponents stuck = new StuckComponents();
        Thread holder = stuck.holdTheLockOf(held);
        sinks.close(Duration.ofMillis(200));

        assertThat(sink.only(RunEnded.class).run().runId()).isEqualTo("free");
        stuck.open();
        await().until(() -> !holder.isAlive());
        free.close();
        held.close();
        assertThat(sinks.statuses().get(0).ledger().queued()).isZero();
    }

    /** One that closes second must not take the sinks away from the runs that the first one is about to end. */
    @Test
    void closes_atTheSameTime_giveEveryRunItsEnd() {
        for (int i = 0; i < 50; i++) {
            Recorder sink = new Recorder();
            Sinks sinks = Sinks.builder().add("x", sink).build();
            for (int n = 0; n < 200; n++) {
                sinks.startRun(RunSpec.builder("env").build()).startStep();
            }
            Threads.together(sinks::close, sinks::close, sinks::close);

            assertThat(sink.events(RunEnded.class)).hasSize(200);
            assertThat(sink.events(StepEnded.class)).hasSize(200);
            assertThat(sinks.statuses().get(0).ledger().dropped()).isEmpty();
        }
    }

    @Test
    void endedRuns_withLargeParameters_areNotAllKept() {
        Recorder sink = new Recorder();
        try (Sinks sinks = Sinks.builder().add("x", sink).build()) {
            List<String> large = Collections.nCopies(60, "x".repeat(1 << 14));
            for (int i = 1; i <= 20; i++) {
                sinks.startRun(RunSpec.builder("env")
                                .runId("r" + i)
                                .param("large", large)
                                .build())
                        .complete("");
            }

            assertThat(sinks.reward("r1", "person", 1, List.of())).isFalse();
            assertThat(sinks.reward("r20", "person", 1, List.of())).isTrue();
            assertThat(sinks.statuses().get(0).ledger().dropped()).isEqualTo(Map.of("unknown_run", 1L));
        }
        assertThat(sink.only(RewardGiven.class).run().runId()).isEqualTo("r20");
    }

    /** A sink that was taken away has all that was queued for it by then, and nothing after. */
    @Test
    void removedSink_isGivenWhatWasQueued_andTheOthersGoOn() {
        GatedSink removed = new GatedSink(false);
        Recorder other = new Recorder();
        Recorder added = new Recorder();
        try (Sinks sinks = Sinks.builder()
                        .add("removed", removed)
                        .add("other", other)
                        .build();
                Run run = sinks.startRun(RunSpec.builder("env").build())) {
            run.startStep().complete("queued");
            removed.awaitEntered();
            sinks.add("added", added);
            Thread remover = new Thread(() -> sinks.remove("removed"));
            remover.start();
            await().until(() -> sinks.get("removed").isEmpty());
            removed.open();
            await().until(() -> !remover.isAlive());
            run.startStep().complete("later");
            run.complete("");
        }

        assertThat(removed.events()).hasSize(3);
        assertThat(other.events()).hasSize(6);
        assertThat(added.events()).isEmpty();
    }
}
