package dev.rlm.cli.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.otel.backend.OtlpReceiver;
import dev.rlm.sinks.otel.backend.OtlpSpan;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** The log file of a process with several runs at a time, configured as {@code docs/logging.md} says. */
class LoggingTest {
    private static final List<String> KEYS = List.of("run_id", "rollout_id", "step", "trace_id", "span_id");
    private static final String ROLLOUT = "rollout-7";
    private static final Pattern CONFIGURATION = Pattern.compile("```xml\n(.*?)```", Pattern.DOTALL);
    private static final Pattern TEXT =
            Pattern.compile(".* run_id=(.*) rollout_id=(.*) step=(.*) trace_id=(.*) span_id=(.*) (at=.*)");
    private static final int LINES = LoggingProgram.RUNS * (4 + 6 * LoggingProgram.STEPS);

    private final OtlpReceiver receiver = OtlpReceiver.start();

    @TempDir
    private Path folder;

    LoggingTest() throws IOException {}

    @AfterEach
    void stop() {
        receiver.close();
    }

    @Tag("thorough")
    @Test
    void logback_tellsOfEachLineItsRun() throws Exception {
        check(log(0), LoggingTest::text);
    }

    @Test
    void logbackInJson_tellsOfEachLineItsRun() throws Exception {
        check(log(1), line -> json(line, "mdc"));
    }

    @Tag("thorough")
    @Test
    void log4j_tellsOfEachLineItsRun() throws Exception {
        check(log(2), LoggingTest::text);
    }

    @Tag("thorough")
    @Test
    void log4jInJson_tellsOfEachLineItsRun() throws Exception {
        check(log(3), line -> json(line, ""));
    }

    /** The lines that the program logs by the configuration at that place of the page. */
    private List<String> log(int number) throws Exception {
        List<String> configurations = CONFIGURATION
                .matcher(Files.readString(Path.of("..", "..", "docs", "logging.md")))
                .results()
                .map((MatchResult found) -> found.group(1))
                .toList();
        Path configuration = Files.writeString(folder.resolve("logging.xml"), configurations.get(number));
        boolean logback = configurations.get(number).contains("ch.qos.logback");
        Map<String, String> variables = Map.of(
                "EP_ROLLOUT_ID",
                ROLLOUT,
                "RLM_OTEL_ENABLED",
                "true",
                "RLM_OTEL_METRICS_ENABLED",
                "false",
                "OTEL_EXPORTER_OTLP_ENDPOINT",
                receiver.httpEndpoint());
        List<String> options = List.of(
                (logback ? "-Dlogback.configurationFile=" : "-Dlog4j2.configurationFile=") + configuration,
                "-cp",
                logback ? System.getProperty("java.class.path") : classPathOfLog4j());
        try (RlmProcess program = RlmProcess.start(folder, variables, options, LoggingProgram.class.getName())
                .awaitSuccess()) {
            assertThat(program.err()).isEmpty();
        }
        return Files.readAllLines(folder.resolve("agent.log")).stream()
                .filter(line -> line.contains("at=")) // beside what sinks say where a machine makes them wait
                .toList();
    }

    private static String classPathOfLog4j() throws IOException {
        try (Stream<Path> log4j = Files.list(Path.of("target", "log4j"))) {
            Stream<String> others = Stream.of(
                            System.getProperty("java.class.path").split(File.pathSeparator, -1))
                    .filter(entry -> !entry.contains("logback"));
            return Stream.concat(others, log4j.map(Path::toAbsolutePath).map(Path::toString))
                    .collect(Collectors.joining(File.pathSeparator));
        }
    }

    private void check(List<String> lines, Function<String, Map<String, String>> reader) {
        Map<String, OtlpSpan> spans = spans();
        assertThat(lines).hasSize(LINES);
        assertThat(lines).filteredOn(line -> line.contains("at=none")).hasSize(LoggingProgram.RUNS * 5);
        assertThat(lines).allSatisfy(line -> {
            Map<String, String> logged = new LinkedHashMap<>(reader.apply(line));
            String at = Objects.requireNonNull(logged.remove("at")).substring("at=".length());
            assertThat(logged).isEqualTo(at.equals("none") ? Map.of() : expected(at, spans));
        });
    }

    private static Map<String, String> expected(String at, Map<String, OtlpSpan> spans) {
        String[] path = at.split("/", -1);
        OtlpSpan span = Objects.requireNonNull(spans.get(at), at);
        Map<String, String> expected = new HashMap<>(
                Map.of("run_id", path[0], "rollout_id", ROLLOUT, "trace_id", span.traceId(), "span_id", span.spanId()));
        if (path.length > 1) {
            expected.put("step", path[1]);
        }
        return expected;
    }

    /** Those that have arrived, by what the program calls them. */
    private Map<String, OtlpSpan> spans() {
        return receiver.spans().stream()
                .filter(span -> !span.name().equals("rlm.run.started"))
                .collect(Collectors.toMap(LoggingTest::at, Function.identity()));
    }

    private static String at(OtlpSpan span) {
        Object step = span.attributes().get("rlm.step");
        return span.attributes().get("rlm.run_id")
                + (step == null ? "" : "/" + step)
                + (span.name().equals("think") ? "/think" : "");
    }

    private static Map<String, String> text(String line) {
        MatchResult found = TEXT.matcher(line).results().findFirst().orElseThrow(() -> new AssertionError(line));
        Map<String, String> logged = new HashMap<>();
        for (int i = 0; i < KEYS.size(); i++) {
            if (!found.group(i + 1).isEmpty()) {
                logged.put(KEYS.get(i), found.group(i + 1));
            }
        }
        logged.put("at", found.group(KEYS.size() + 1));
        return logged;
    }

    private static Map<String, String> json(String line, String object) {
        JsonNode event = new ObjectMapper().readTree(line);
        JsonNode context = object.isEmpty() ? event : event.path(object);
        Map<String, String> logged = new HashMap<>();
        KEYS.stream()
                .filter(context::has)
                .forEach(key -> logged.put(key, context.get(key).asString()));
        String message = event.has("formattedMessage") ? "formattedMessage" : "message";
        logged.put("at", event.get(message).asString());
        return logged;
    }
}
