package dev.rlm.runner.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.testkit.Cli;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.JarOutputStream;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The sink of {@code docs/sinks.md}, compiled and packed as its reader would do it. */
class CustomSinkTest {
    private static final Path PAGE = Path.of("..", "docs", "sinks.md");
    private static final Pattern CLASS = Pattern.compile(
            "```java\n(package com\\.example;.*?public final class TallySinkProvider.*?)```", Pattern.DOTALL);

    @TempDir
    private Path folder;

    private final Map<String, String> variables = new HashMap<>();
    private Path tally;

    @BeforeEach
    void packSink() throws IOException {
        Matcher shown = CLASS.matcher(Files.readString(PAGE));
        assertThat(shown.find()).isTrue();
        Path source = Files.writeString(folder.resolve("TallySinkProvider.java"), shown.group(1));
        Path classes = Files.createDirectory(folder.resolve("classes"));
        assertThat(ToolProvider.getSystemJavaCompiler()
                        .run(null, null, null, "-proc:none", "-d", classes.toString(), source.toString()))
                .isZero();
        Path plugins = Files.createDirectory(folder.resolve("plugins"));
        try (OutputStream file = Files.newOutputStream(plugins.resolve("tally.jar"));
                JarOutputStream jar = new JarOutputStream(file)) {
            for (String name : List.of("TallySinkProvider.class", "TallySinkProvider$1.class")) {
                entry(
                        jar,
                        "com/example/" + name,
                        Files.readAllBytes(classes.resolve("com/example").resolve(name)));
            }
            entry(
                    jar,
                    "META-INF/services/dev.rlm.sinks.SinkProvider",
                    "com.example.TallySinkProvider".getBytes(StandardCharsets.UTF_8));
        }
        tally = folder.resolve("tally");
        variables.putAll(Map.of(
                "RLM_PLUGINS", plugins.toString(), "RLM_JSONL_ENABLED", "false", "RLM_TALLY_FILE", tally.toString()));
    }

    private static void entry(JarOutputStream jar, String name, byte[] bytes) throws IOException {
        jar.putNextEntry(new ZipEntry(name));
        jar.write(bytes);
        jar.closeEntry();
    }

    @Test
    void customSink_isChosenByItsVariable() throws IOException {
        assertThat(Cli.with(variables, "run").exitCode()).isZero();
        assertThat(tally).doesNotExist();

        variables.put("RLM_TALLY_ENABLED", "yes");
        Cli run = Cli.with(variables, "run", "--error-rate", "0");

        assertThat(run.err()).isEmpty();
        assertThat(Files.readAllLines(tally)).hasSize(80).allMatch(line -> line.endsWith(" COMPLETED 1.0"));
    }

    @Test
    void customSink_isListedWithItsVariables() {
        assertThat(Cli.with(variables, "sinks").out().lines())
                .anyMatch(line -> line.matches("tally +off +RLM_TALLY_ENABLED=true turns it on"))
                .anyMatch(line -> line.matches("kept +off +RLM_KEPT_ENABLED=true turns it on"))
                .anyMatch(line -> line.matches("RLM_TALLY_ENABLED +false +whether it is used"))
                .anyMatch(line -> line.matches("RLM_KEPT_FILE + where to write a word about each event"));
        assertThat(Cli.with(variables, "sinks", "--sink", "kept", "--json").out())
                .contains(
                        "{\"name\":\"kept\",\"enabled\":true,\"state\":\"on\",\"available\":true,\"detail\":\"\",\"variables\":["
                                + "{\"name\":\"RLM_KEPT_ENABLED\",\"default\":\"false\",\"meaning\":\"whether it is used\"},"
                                + "{\"name\":\"RLM_KEPT_FILE\",");
    }

    @Test
    void customSink_thatCannotBeMade_isNoReasonToStop() {
        variables.put("RLM_TALLY_ENABLED", "true");
        variables.put("RLM_TALLY_FILE", "no\0file");

        Cli run = Cli.with(variables, "run");

        assertThat(run.exitCode()).isZero();
        assertThat(run.out()).contains("scripted    80");
        assertThat(run.err().lines())
                .hasSize(1)
                .first()
                .asString()
                .startsWith("warning: sink 'tally' is not available: Nul character");
    }

    @Test
    void losses_areToldPlainly() throws IOException {
        variables.put("RLM_TALLY_ENABLED", "true");
        Files.createDirectory(tally);

        Cli run = Cli.with(variables, "run", "--samples", "1");

        assertThat(run.exitCode()).isZero();
        assertThat(run.err()).contains("warning: sink 'tally' lost 4 of ", " events: {sink_error=4}");
    }
}
