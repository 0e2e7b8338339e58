package dev.rlm.sinks.otel.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.rlm.sinks.Ledger;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkConfigException;
import dev.rlm.sinks.SinkStatus;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.otel.backend.OtlpReceiver;
import dev.rlm.sinks.testkit.Events;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The file that spans are appended to while runs go on. */
@Timeout(180)
class OtlpFileTest {
    private static final JsonMapper JSON = new JsonMapper();
    private static final int EVENTS = 10; // of a run of the examples

    @TempDir
    private Path folder;

    @Test
    void spans_areThoseOfTheSinkOtel_inTheSameProcess() throws IOException {
        try (OtlpReceiver receiver = OtlpReceiver.start()) {
            Map<String, String> variables = Map.of(
                    "RLM_OTEL_ENABLED", "true",
                    "RLM_OTEL_METRICS_ENABLED", "false",
                    "RLM_OTEL_SPAN_NAMES", "semantic",
                    "OTEL_EXPORTER_OTLP_ENDPOINT", receiver.httpEndpoint(),
                    "OTEL_SERVICE_NAME", "trainer");
            try (Sinks sinks = hub(variables)) {
                publish(sinks, "a", 20);
                assertThat(sinks.flush(Duration.ofSeconds(60)).isComplete()).isTrue();
                assertThat(status(sinks).ledger().delivered()).isEqualTo(20 * EVENTS);
                assertThat(status(sinks).detail()).contains(path().toString(), "arrived");
            }
            Set<String> sent = receiver.spans().stream()
                    .map(span -> span.traceId() + " " + span.spanId() + " " + span.name())
                    .collect(Collectors.toCollection(TreeSet::new));
            assertThat(spans()).hasSizeGreaterThan(20).isEqualTo(sent);
        }
        assertThat(lines()).allSatisfy(line -> assertThat(line).contains("\"service.name\"", "\"trainer\""));
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path())))
                .isEqualTo("rw-------");
    }

    @Test
    void spanOfAnOpenRun_isInTheFile_whileTheRunGoesOn() throws IOException {
        try (Sinks sinks = hub(Map.of());
                Run run = sinks.startRun(RunSpec.builder("calc").build())) {
            await().atMost(Duration.ofSeconds(60)).until(() -> spans().stream().anyMatch(s -> s.contains("started")));
            run.complete("");
        }
        assertThat(spans()).anyMatch(span -> span.endsWith("rlm.run"));
    }

    @Test
    void fullFiles_areRenamed_andTheNewestKept() throws IOException {
        try (Sinks sinks = hub(Map.of("RLM_OTLP_FILE_ROTATE_SIZE", "100KB", "RLM_OTLP_FILE_KEEP_FILES", "2"))) {
            for (int i = 0; i < 60; i++) {
                publish(sinks, "a" + i + "-", 5);
                assertThat(sinks.flush(Duration.ofSeconds(60)).isComplete()).isTrue();
            }
        }
        List<String> names = names();
        assertThat(names)
                .hasSize(4)
                .contains(".traces.jsonl.lock", "traces.jsonl")
                .doesNotContain("traces-1.jsonl");
        for (String name : names) {
            assertThat(Files.size(folder.resolve(name))).isLessThanOrEqualTo(100_000);
            Files.readAllLines(folder.resolve(name)).forEach(JSON::readTree);
        }
        assertThat(spans()).anyMatch(span -> span.endsWith("rlm.run"));
    }

    @Test
    void halfALine_ofAKilledProcess_isCutOff_andAnotherProgramsIsNot() throws IOException {
        Files.writeString(path(), "mine, not a span's");
        try (Sinks sinks = hub(Map.of())) {
            publish(sinks, "a", 1);
        }
        int whole = lines().size();
        Files.writeString(path(), "{\"resourceSpans\":[{\"resource\"" + "x".repeat(20_000), StandardOpenOption.APPEND);
        try (Sinks sinks = hub(Map.of())) {
            publish(sinks, "b", 1);
        }
        assertThat(lines()).startsWith("mine, not a span's").hasSizeGreaterThan(whole);
        assertThat(lines().stream().skip(1)).allSatisfy(JSON::readTree);
    }

    @Tag("thorough")
    @Test
    void severalProcesses_appendToOneFile_andLoseNothing() throws Exception {
        List<Process> processes = new ArrayList<>();
        for (String name : List.of("a", "b", "c")) {
            processes.add(start("exec \"$@\"", path(), name, 60));
        }
        for (Process process : processes) {
            assertThat(said(process)).startsWith("600 600 0 [] ");
        }
        assertThat(names()).hasSizeGreaterThan(2);
        Set<String> runs =
                all().stream().filter(span -> span.endsWith("rlm.run")).collect(Collectors.toSet());
        assertThat(runs).hasSize(180);
    }

    @Tag("thorough")
    @Test
    void diskThatIsFull_losesNoWholeLine_andEveryLossIsCounted() throws Exception {
        String[] said =
                said(start("ulimit -f 64; exec \"$@\"", path(), "a", 40)).split(" ", -1);
        long delivered = Long.parseLong(said[0]);
        assertThat(delivered).isPositive().isLessThan(400);
        assertThat(said[1]).isEqualTo("400");
        assertThat(Long.parseLong(said[2])).isEqualTo(400 - delivered);
        assertThat(lines()).isNotEmpty().allSatisfy(JSON::readTree);
    }

    @Test
    void deviceThatTakesNothing_isCounted() throws IOException {
        Files.createSymbolicLink(path(), Path.of("/dev/full"));
        Sinks sinks = hub(Map.of());
        publish(sinks, "a", 5);
        assertThat(sinks.flush(Duration.ofMillis(200)).isComplete()).isFalse();
        await().atMost(Duration.ofSeconds(60))
                .until(() -> status(sinks).detail().contains("No space left on device"));
        sinks.close(Duration.ofSeconds(2));
        Ledger ledger = status(sinks).ledger();
        assertThat(ledger.delivered()).isZero();
        assertThat(ledger.lost()).isEqualTo(5 * EVENTS);
        assertThat(ledger.queued()).isZero();
    }

    @Test
    void values_thatCannotBeUsed_areToldWithTheirVariable() throws IOException {
        Path file = Files.createFile(folder.resolve("file"));
        assertThatThrownBy(() -> hub(Map.of("RLM_OTLP_FILE_PATH", file + "/traces.jsonl")))
                .isInstanceOf(SinkConfigException.class)
                .hasMessageContainingAll("RLM_OTLP_FILE_PATH", file.toString());
        assertThatThrownBy(() -> hub(Map.of("RLM_OTLP_FILE_PATH", folder.toString())))
                .isInstanceOf(SinkConfigException.class)
                .hasMessageContainingAll("RLM_OTLP_FILE_PATH", folder.toString(), "folder");
        assertThatThrownBy(() -> hub(Map.of("RLM_OTLP_FILE_ROTATE_SIZE", "9KB")))
                .isInstanceOf(SinkConfigException.class)
                .hasMessage("RLM_OTLP_FILE_ROTATE_SIZE=9KB is not valid: expected at least 100KB, or 0 for never");
    }

    private Path path() {
        return folder.resolve("traces.jsonl");
    }

    private Sinks hub(Map<String, String> variables) {
        Map<String, String> all = new HashMap<>(Map.of(
                "RLM_JSONL_ENABLED", "false",
                "RLM_OTLP_FILE_ENABLED", "true",
                "RLM_OTLP_FILE_PATH", path().toString()));
        all.putAll(variables);
        return Sinks.builder().config(SinkConfig.of(all)).build();
    }

    private static void publish(Sinks sinks, String name, int runs) {
        for (int i = 0; i < runs; i++) {
            Events.full(name + i).stream().limit(EVENTS).forEach(sinks::publish);
        }
    }

    private static SinkStatus status(Sinks sinks) {
        return sinks.statuses().stream()
                .filter(status -> status.name().equals("otlp-file"))
                .findFirst()
                .orElseThrow();
    }

    private Process start(String shell, Path file, String name, int runs) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(
                "bash",
                "-c",
                shell,
                "bash",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx64m",
                "-XX:TieredStopAtLevel=1",
                "-XX:-UsePerfData",
                "-cp",
                System.getProperty("java.class.path"),
                OtlpFileProgram.class.getName(),
                name,
                Integer.toString(runs));
        builder.environment().put("RLM_JSONL_ENABLED", "false");
        builder.environment().put("RLM_OTLP_FILE_ENABLED", "true");
        builder.environment().put("RLM_OTLP_FILE_PATH", file.toString());
        builder.environment().put("RLM_OTLP_FILE_ROTATE_SIZE", "400KB");
        return builder.redirectError(ProcessBuilder.Redirect.DISCARD).start();
    }

    private static String said(Process process) throws Exception {
        try (InputStream out = process.getInputStream()) {
            String text = new String(out.readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor()).as(text).isZero();
            return text.strip();
        }
    }

    private List<String> names() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    private List<String> lines() throws IOException {
        return Files.readAllLines(path());
    }

    private Set<String> spans() throws IOException {
        return spans(lines());
    }

    /** Those of all files. */
    private Set<String> all() throws IOException {
        List<String> lines = new ArrayList<>();
        for (String name : names()) {
            lines.addAll(Files.readAllLines(folder.resolve(name)));
        }
        return spans(lines);
    }

    private static Set<String> spans(List<String> lines) {
        return lines.stream()
                .map(JSON::readTree)
                .flatMap(line -> line.findValues("spans").stream())
                .flatMap(JsonNode::valueStream)
                .map(span -> span.path("traceId").asString() + " "
                        + span.path("spanId").asString() + " "
                        + span.path("name").asString())
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
