package dev.rlm.sinks.otel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.otel.spans.Ended;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Processes whose class path has the sink and not the libraries that it is made of. */
@Timeout(180)
class MissingLibraryTest {
    private static final Map<String, String> ENABLED =
            Map.of("RLM_OTEL_ENABLED", "true", "OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1");

    @TempDir
    private Path folder;

    @Tag("thorough")
    @ParameterizedTest
    @ValueSource(
            strings = {
                "opentelemetry|io.opentelemetry:opentelemetry-api", // all of it
                "opentelemetry-sdk-extension-autoconfigure|io.opentelemetry:opentelemetry-sdk-extension-autoconfigure",
                "opentelemetry-exporter-otlp|io.opentelemetry:opentelemetry-exporter-otlp",
                "okhttp|com.squareup.okhttp3:okhttp-jvm",
            })
    void sinkWithoutALibrary_isNotAvailable_andTheProgramRuns(String library) throws Exception {
        String missing = library.replaceFirst("\\|.*", "");
        Ended program = run(missing, ENABLED);

        assertThat(program.exitCode()).as(program::err).isZero();
        assertThat(program.out().lines())
                .hasSize(3) // with that of the file of spans, which is off
                .contains("the run is over")
                .first()
                .asString()
                .startsWith("otel enabled=true available=false arrived=false: ");
        assertThat(program.err().lines())
                .singleElement()
                .asString()
                .contains("WARN")
                .contains("otel is not available: a library is missing: ")
                .contains(": add " + library.replaceFirst(".*\\|", "") + ", which dev.rlm:sink-otel depends on");
    }

    @Tag("thorough")
    @Test
    void requiredSinkWithoutItsLibraries_failsTheStart_inOneLine() throws Exception {
        Map<String, String> required = new HashMap<>(ENABLED);
        required.put("RLM_OTEL_REQUIRED", "true");

        Ended program = run("opentelemetry", required);

        assertThat(program.exitCode()).isNotZero();
        assertThat(program.out()).isEmpty();
        assertThat(program.err().lines().filter(line -> !line.startsWith("\tat ")))
                .singleElement()
                .asString()
                .contains(
                        "sink 'otel' is required (RLM_OTEL_REQUIRED) but failed: a library is missing: class not found:"
                                + " io.opentelemetry.");
    }

    @Test
    void sinkThatIsOff_needsNoLibraries() throws Exception {
        Ended program = run("opentelemetry", Map.of());

        assertThat(program.exitCode()).as(program::err).isZero();
        assertThat(program.err()).isEmpty();
        assertThat(program.out().lines()).first().asString().startsWith("otel enabled=false available=true ");
    }

    private Ended run(String missing, Map<String, String> variables) throws IOException, InterruptedException {
        Pattern jar = Pattern.compile(".*/" + Pattern.quote(missing) + "[^/]*\\.jar");
        String all = System.getProperty("java.class.path");
        String classPath = Arrays.stream(all.split(File.pathSeparator))
                .filter(entry -> !jar.matcher(entry).matches())
                .collect(Collectors.joining(File.pathSeparator));
        assertThat(classPath).isNotEqualTo(all);
        Path out = folder.resolve("out");
        Path err = folder.resolve("err");
        Path logback = Files.writeString(folder.resolve("logback.xml"), """
                <configuration>
                  <appender name="err" class="ch.qos.logback.core.ConsoleAppender">
                    <target>System.err</target>
                    <encoder><pattern>%level %msg%n</pattern></encoder>
                  </appender>
                  <root level="WARN"><appender-ref ref="err"/></root>
                </configuration>
                """);
        ProcessBuilder builder = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-Dlogback.configurationFile=" + logback,
                        "-Djava.util.logging.config.file=" + Path.of("src/test/resources/logging.properties"),
                        "-cp",
                        classPath,
                        MissingLibraryProgram.class.getName()))
                .redirectOutput(out.toFile())
                .redirectError(err.toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("RLM_") || name.startsWith("OTEL_"));
        builder.environment().remove("JAVA_TOOL_OPTIONS");
        builder.environment().putAll(variables);
        Process process = builder.start();
        try {
            int exitCode = process.waitFor();
            return new Ended(exitCode, Files.readString(out), Files.readString(err));
        } finally {
            process.destroyForcibly();
        }
    }

    /** What came of a process. */
    private record Ended(int exitCode, String out, String err) {}
}
