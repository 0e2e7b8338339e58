package dev.rlm.sinks.otel.export;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.otel.backend.OtlpReceiver;
import dev.rlm.sinks.otel.backend.OtlpSpan;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A program with a small heap whose open runs would hold more than it has. */
@Tag("thorough")
@Timeout(180)
class HeldSpansTest {
    @TempDir
    private Path folder;

    private final Properties said = new Properties();

    @Test
    void memoryIsBounded_andRunsThatDoNotFitAreKeptWhole() throws Exception {
        try (OtlpReceiver receiver = OtlpReceiver.start()) {
            run(receiver);

            List<OtlpSpan> dropped = receiver.spans("rlm.run").stream()
                    .filter(run -> run.attributes().containsKey("rlm.detail"))
                    .toList();
            Map<Object, Long> steps = receiver.spans("rlm.step").stream()
                    .collect(Collectors.groupingBy(step -> step.attributes().get("rlm.run_id"), Collectors.counting()));
            long kept = said("runs_kept_for_room");
            assertThat(kept).isBetween(1L, HeldSpansProgram.RUNS - 1L);
            assertThat(dropped).hasSize((int) (HeldSpansProgram.RUNS - kept));
            assertThat(steps).hasSize((int) kept).values().containsOnly((long) HeldSpansProgram.STEPS);
            assertThat(steps)
                    .doesNotContainKeys(dropped.stream()
                            .map(run -> run.attributes().get("rlm.run_id"))
                            .toArray());
            assertThat(said("most_held")).isBetween(1L, said("held_bytes_limit") + HeldSpansProgram.LARGEST_SPAN);
            assertThat(said("held_spans")).isZero();
            assertThat(said("held_bytes")).isZero();
            assertThat(said("lost")).isZero();
            assertThat(said("queued")).isZero();
        }
    }

    private void run(OtlpReceiver receiver) throws IOException, InterruptedException {
        Path out = folder.resolve("out");
        Process program = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx" + HeldSpansProgram.HEAP_MEGABYTES + "m",
                        "-XX:+ExitOnOutOfMemoryError",
                        "-cp",
                        System.getProperty("java.class.path"),
                        HeldSpansProgram.class.getName(),
                        receiver.httpEndpoint())
                .redirectErrorStream(true)
                .redirectOutput(out.toFile())
                .start();
        try {
            assertThat(program.waitFor()).as(() -> text(out)).isZero();
        } finally {
            program.destroyForcibly();
        }
        try (var lines = Files.newBufferedReader(out)) {
            said.load(lines);
        }
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return e.toString();
        }
    }

    private long said(String name) {
        return Long.parseLong(said.getProperty(name));
    }
}
