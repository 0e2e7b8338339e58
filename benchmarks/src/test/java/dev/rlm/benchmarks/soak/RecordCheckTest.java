package dev.rlm.benchmarks.soak;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.benchmarks.Agent;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.jsonl.JsonlSink;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RecordCheckTest {
    @TempDir
    private Path folder;

    @Test
    void record_thatIsWhole_hasNoComplaints() {
        String runId = record();

        assertThat(RecordCheck.complaints(folder, List.of(runId))).isEmpty();
    }

    @Test
    void record_withoutARun_isComplainedOf() {
        record();

        assertThat(RecordCheck.complaints(folder, List.of("elsewhere")))
                .containsExactly("1 of the last 1 runs are not in the journal, such as elsewhere");
    }

    @Test
    void record_withoutAnEvent_isComplainedOf() throws Exception {
        String runId = record();
        Path events = events();
        Files.write(
                events,
                Files.readAllLines(events).stream()
                        .filter(line -> !line.contains("\"tool_called\""))
                        .toList());

        assertThat(RecordCheck.complaints(folder, List.of(runId)))
                .containsExactly("run " + runId + " emitted 8 events, the journal has 7");
    }

    private String record() {
        JsonlSink journal =
                JsonlSink.builder().directory(folder).compress(false).build();
        try (Sinks hub = Sinks.builder().add("journal", journal).build()) {
            return new Agent(1, 1, () -> {}).run(hub);
        }
    }

    private Path events() throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.getFileName().toString().startsWith("events-"))
                    .findFirst()
                    .orElseThrow();
        }
    }
}
