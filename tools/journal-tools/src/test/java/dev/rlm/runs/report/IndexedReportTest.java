package dev.rlm.runs.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.testkit.Cli;
import dev.rlm.journal.format.segment.Compression;
import dev.rlm.journal.format.segment.Disk;
import dev.rlm.journal.format.segment.Segment;
import dev.rlm.sinks.ModelCall;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.ToolCall;
import dev.rlm.sinks.event.CorrelationBuilder;
import dev.rlm.sinks.event.RewardComponent;
import dev.rlm.sinks.event.RunStatus;
import dev.rlm.sinks.event.Usage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A report by an index says what a report without one says, whatever has become of the journal. */
@Tag("thorough")
class IndexedReportTest {
    private static final int ROUNDS = 30;

    private final Random random = new Random(27);
    private final List<String> ids = new ArrayList<>();

    @TempDir
    private Path directory;

    @TempDir
    private Path index;

    @Test
    void report_isTheSame_withAnIndexAndWithout() throws IOException {
        for (int round = 0; round < ROUNDS; round++) {
            change(round);
            settle();
            assertSame("--json", "--by", "model,tool");
            assertSame("--json", "--pass-reward", "0.5", "--all-attempts");
            assertSame("--json", "--phases");
            assertSame("--csv", "--by", "failure");
            assertSame();
        }
    }

    private void assertSame(String... options) {
        Cli scanned = report("none", options);
        assertThat(scanned.exitCode()).isZero();
        assertThat(report(index.toString(), options)).isEqualTo(scanned);
        assertThat(report(index.toString(), options)).isEqualTo(scanned);
    }

    private Cli report(String where, String... options) {
        return Cli.with(
                Map.of(),
                Stream.concat(
                                Stream.of("report", "--journal", directory.toString(), "--index", where),
                                Stream.of(options))
                        .toArray(String[]::new));
    }

    /** Records with two writers, or damages, compresses, copies, deletes or recovers something. */
    private void change(int round) throws IOException {
        List<Path> files = segments();
        int kind = files.size() < 3 ? 0 : random.nextInt(9);
        if (kind <= 2) {
            record(round);
            return;
        } else if (kind == 3) {
            String id = ids.get(random.nextInt(ids.size()));
            Cli.with(Map.of(), "delete", id, "--yes", "--journal", directory.toString());
            return;
        }
        Path file = files.get(random.nextInt(files.size()));
        byte[] bytes = Files.readAllBytes(file);
        if (kind == 4) {
            bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
            Files.write(file, bytes);
        } else if (kind == 5 && file.toString().endsWith(".jsonl")) {
            Path folder = Objects.requireNonNull(file.getParent());
            new Compression(Disk.LOCAL, () -> false).compress(new Segment(folder, 1));
        } else if (kind == 6 && file.toString().endsWith(".jsonl")) {
            String text = Files.readString(file, StandardCharsets.ISO_8859_1);
            String without = text.replaceFirst("\"status_code\":|\"input_tokens\":|\"weight\":", "\"x\":\"\",\"y\":");
            Files.writeString(file, without, StandardCharsets.ISO_8859_1);
        } else if (kind == 7) {
            Files.write(files.get(0).resolveSibling("events-2.jsonl"), bytes); // the same events again
        } else if (kind == 8) {
            Cli.with(Map.of(), "recover", "--journal", directory.toString());
        }
    }

    private void record(int round) {
        Recorded recorded = new Recorded(directory);
        try (Sinks one = recorded.open();
                Sinks other = recorded.open()) {
            for (int i = 0; i < 4; i++) {
                Sinks sinks = random.nextBoolean() ? one : other;
                RunSpec spec = spec(round * 10 + i);
                ids.add(spec.runId());
                try (Run run = sinks.startRun(spec)) {
                    run(run);
                }
                if (random.nextInt(3) == 0) {
                    (random.nextBoolean() ? one : other).reward(spec.runId(), "person", random.nextInt(3), List.of());
                } else if (random.nextInt(5) == 0) {
                    sinks.rewardAbsent(spec.runId(), "judge", "late ".repeat(random.nextInt(1, 40)));
                }
            }
        }
    }

    private RunSpec spec(int number) {
        return RunSpec.builder("env-" + random.nextInt(2))
                .runId("run-" + number)
                .model("model-" + random.nextInt(2))
                .correlation(CorrelationBuilder.builder()
                        .sample("sample-" + random.nextInt(9))
                        .rollout(random.nextBoolean() ? null : "rollout-" + random.nextInt(4))
                        .attempt(random.nextBoolean() ? null : random.nextInt(1, 4))
                        .build())
                .build();
    }

    private void run(Run run) {
        for (int i = 0; i < random.nextInt(4); i++) {
            try (Step step = run.startStep("look")) {
                try (ModelCall call = step.startModelCall("p", "m")) {
                    call.usage(new Usage(random.nextLong(99), random.nextBoolean() ? null : 7L, null, 1L));
                    call.cost(random.nextInt(9) / 10.0, random.nextInt(4) == 0 ? "EUR" : "USD");
                }
                try (ToolCall call = step.startToolCall("tool-" + random.nextInt(3))) {
                    if (random.nextBoolean()) {
                        call.fail(RunStatus.INTERNAL, "torn");
                    }
                }
                reward(step);
                step.complete("done");
            }
        }
        if (random.nextInt(4) == 0) {
            run.fail(new IllegalStateException("broken " + random.nextInt(3)));
        } else {
            run.complete("done");
        }
    }

    private void reward(Step step) {
        switch (random.nextInt(4)) {
            case 0 -> step.reward(random.nextInt(3) / 3.0);
            case 1 -> step.rewardAbsent("judge", "no answer " + random.nextInt(2));
            case 2 -> step.reward("judge", Double.POSITIVE_INFINITY, List.of());
            default -> {
                double value = random.nextBoolean() ? Double.NaN : random.nextDouble();
                step.reward("judge", 1, List.of(new RewardComponent("part", value, random.nextInt(3), "s")));
            }
        }
    }

    /** Makes all files look as if they had been written a while ago, each at a time of its own. */
    private void settle() throws IOException {
        Instant ago = Instant.now().minus(Duration.ofHours(1));
        for (Path file : segments()) {
            if (Files.getLastModifiedTime(file).toInstant().isAfter(ago)) {
                Files.setLastModifiedTime(file, FileTime.from(ago.minusNanos(System.nanoTime() & 0xFFFFFFF)));
            }
        }
    }

    private List<Path> segments() throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            return all.filter(file -> file.getFileName().toString().matches("events-\\d+\\.jsonl(\\.zst)?"))
                    .sorted()
                    .toList();
        }
    }
}
