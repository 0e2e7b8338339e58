package dev.rlm.runner.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.runner.Cli;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.JarOutputStream;
import java.util.zip.ZipEntry;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A sink of the user's own, compiled and packed as the user would do it. */
class CustomSinkTest {
    private static final String SOURCE = """
            import dev.rlm.sinks.*;
            import dev.rlm.sinks.event.RunEnded;

            public class ScoreSink implements SinkProvider {
                public String name() { return "score"; }
                public Sink create(SinkConfig config) {
                    var file = config.path("FILE").orElseThrow(() -> new IllegalStateException("no file is set"));
                    return new Sink() {
                        @Override public void onRunEnded(RunEnded end) {
                            try {
                                java.nio.file.Files.writeString(file, end.totalReward() + "\\n",
                                        java.nio.file.StandardOpenOption.CREATE, java.nio.file.StandardOpenOption.APPEND);
                            } catch (java.io.IOException e) { throw new java.io.UncheckedIOException(e); }
                        }
                    };
                }
            }
            """;

    @TempDir
    private Path folder;

    private final Map<String, String> variables = new HashMap<>();
    private Path scores;

    @BeforeEach
    void packSink() throws IOException {
        Path source = Files.writeString(folder.resolve("ScoreSink.java"), SOURCE);
        Path classes = Files.createDirectory(folder.resolve("classes"));
        assertThat(ToolProvider.getSystemJavaCompiler()
                        .run(null, null, null, "-proc:none", "-d", classes.toString(), source.toString()))
                .isZero();
        Path plugins = Files.createDirectory(folder.resolve("plugins"));
        try (OutputStream file = Files.newOutputStream(plugins.resolve("score.jar"));
                JarOutputStream jar = new JarOutputStream(file)) {
            for (String name : List.of("ScoreSink.class", "ScoreSink$1.class")) {
                entry(jar, name, Files.readAllBytes(classes.resolve(name)));
            }
            entry(jar, "META-INF/services/dev.rlm.sinks.SinkProvider", "ScoreSink".getBytes(StandardCharsets.UTF_8));
        }
        scores = folder.resolve("scores");
        variables.putAll(Map.of("RLM_PLUGINS", plugins.toString(), "RLM_JSONL_ENABLED", "false"));
    }

    private static void entry(JarOutputStream jar, String name, byte[] bytes) throws IOException {
        jar.putNextEntry(new ZipEntry(name));
        jar.write(bytes);
        jar.closeEntry();
    }

    @Test
    void customSink_isChosenByItsVariable() throws IOException {
        variables.put("RLM_SCORE_FILE", scores.toString());
        assertThat(Cli.with(variables, "run").exitCode()).isZero();
        assertThat(scores).doesNotExist();

        variables.put("RLM_SCORE_ENABLED", "yes");
        Cli run = Cli.with(variables, "run", "--error-rate", "0");

        assertThat(run.err()).isEmpty();
        assertThat(Files.readAllLines(scores)).isEqualTo(Collections.nCopies(80, "1.0"));
    }

    @Test
    void customSink_isListedWithItsVariables() {
        assertThat(Cli.with(variables, "sinks").out().lines())
                .anyMatch(line -> line.matches("score +no +yes"))
                .anyMatch(line -> line.matches("kept +no +yes"))
                .anyMatch(line -> line.matches("RLM_SCORE_ENABLED +false +whether it is used"))
                .anyMatch(line -> line.matches("RLM_KEPT_FILE + where to write a word about each event"));
        assertThat(Cli.with(variables, "sinks", "--sink", "kept", "--json").out())
                .contains("{\"name\":\"kept\",\"enabled\":true,\"available\":true,\"detail\":\"\",\"variables\":["
                        + "{\"name\":\"RLM_KEPT_ENABLED\",\"default\":\"false\",\"meaning\":\"whether it is used\"},"
                        + "{\"name\":\"RLM_KEPT_FILE\",");
    }

    @Test
    void customSink_thatCannotBeMade_isNoReasonToStop() {
        variables.put("RLM_SCORE_ENABLED", "true");

        Cli run = Cli.with(variables, "run");

        assertThat(run.exitCode()).isZero();
        assertThat(run.out()).contains("scripted    80");
        assertThat(run.err().lines()).containsExactly("warning: sink 'score' is not available: no file is set");
    }

    @Test
    void losses_areToldPlainly() throws IOException {
        variables.put("RLM_SCORE_ENABLED", "true");
        variables.put("RLM_SCORE_FILE", Files.createDirectory(scores).toString());

        Cli run = Cli.with(variables, "run", "--samples", "1");

        assertThat(run.exitCode()).isZero();
        assertThat(run.err()).contains("warning: sink 'score' lost 4 of ", " events: {sink_error=4}");
    }
}
