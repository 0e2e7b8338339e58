package dev.rlm.cli.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.program.SinkVariables;
import dev.rlm.cli.testkit.Cli;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkProvider;
import dev.rlm.sinks.Sinks;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Variables that something of the whole program reads are not told as unknown. */
class UnknownVariablesTest {
    private static final String VALUE = "a-value-that-is-nobodys-business";
    private static final Path PAGE = Path.of("..", "..", "docs", "configuration.md");
    private static final Pattern NAME = Pattern.compile("`((?:RLM_|…_)[A-Z_<>]+)`");

    @Test
    void quietCommand_saysNothingOfThem() {
        assertThat(Cli.with(Map.of("RLM_TEAPOT", VALUE), "run", "--samples", "1", "--sink", "kept", "--quiet")
                        .err())
                .isEmpty();
    }

    @Test
    void settingsOfAFurtherSink_areNotTold_norIsTheVariableOfTheKey() {
        Map<String, String> variables = Map.of(
                "RLM_OTEL_LANGFUSE_ENABLED", "false",
                "RLM_OTEL_LANGFUSE_BSP_SCHEDULE_DELAY", "1",
                "RLM_MY_KEY", "plain-words",
                "RLM_JSONL_ENABLED", "false");

        Cli run = Cli.with(
                variables,
                "run",
                "--policy",
                "openai",
                "--model",
                "m",
                "--base-url",
                "http://127.0.0.1:1",
                "--api-key-env",
                "RLM_MY_KEY");

        assertThat(run.err().lines()).singleElement().asString().startsWith("rlm: --policy openai finds no server");
    }

    @Test
    void everyDocumentedVariable_isKnown() throws Exception {
        String page = Files.readString(PAGE);
        String table =
                page.substring(0, page.indexOf("\n## Set for programs that rlm starts\n")); // which reads none of these
        Map<String, String> variables = new LinkedHashMap<>();
        NAME.matcher(table)
                .results()
                .map(name -> name.group(1).replace("…_", "RLM_OTEL_<NAME>_").replace("OTEL_<NAME>", "OTEL_LANGFUSE"))
                .filter(name -> !name.contains("<NAME>_ENABLED") && !name.contains("<NAME>_REQUIRED"))
                .forEach(name -> variables.put(name.replace("<NAME>", "X"), ""));

        assertThat(variables)
                .hasSizeGreaterThan(40)
                .containsKeys("RLM_OPENAI_API_KEY", "RLM_OTEL_LANGFUSE_LOGS_ENABLED");
        assertThat(run(variables).err()).isEmpty();
    }

    @Test
    void everyVariableThatIsDeclared_isDocumented() throws Exception {
        String page = Files.readString(PAGE);
        SinkConfig config = SinkConfig.of(Map.of());
        List<String> declared = new SinkVariables(config, Sinks.providers(config))
                .all().stream().map(SinkProvider.Variable::name).toList();

        assertThat(declared).hasSizeGreaterThan(40).contains("RLM_HEARTBEAT", "RLM_RECORD_TOKEN");
        assertThat(declared)
                .filteredOn(name -> !page.contains("`" + name + "`")
                        && !page.contains("`…_" + name.replaceFirst("^RLM_OTEL_<NAME>_", "") + "`"))
                .allMatch(
                        name -> name.matches("(RLM_)?(KEPT|HOSTILE|PROBE|MLFLOW|OTEL)_[A-Z_]+"),
                        "a test's own, in docs/mlflow.md, or OpenTelemetry's");
    }

    @Test
    void everyPropertyOfTheLauncher_isKnown() throws Exception {
        Map<String, String> variables = new LinkedHashMap<>();
        Pattern.compile("-Drlm\\.(\\w+)=")
                .matcher(Files.readString(Path.of("..", "..", "rlm")))
                .results()
                .forEach(name -> variables.put("RLM_" + name.group(1).toUpperCase(Locale.ROOT), ""));

        assertThat(variables).containsKeys("RLM_TERMINAL", "RLM_COLUMNS");
        assertThat(run(variables).err()).isEmpty();
    }

    @Test
    void property_isToldAsItsVariable(@TempDir Path folder) throws Exception {
        try (RlmProcess process = RlmProcess.start(
                folder,
                Map.of(),
                List.of("-Drlm.jsonl.dirr=" + VALUE, "-Drlm.terminal=false", "-Drlm.program=rlm"),
                "dev.rlm.cli.launcher.Main",
                "list")) {
            process.process().waitFor();
            assertThat(process.err())
                    .startsWith("warning: RLM_JSONL_DIRR is unknown; did you mean RLM_JSONL_DIR?\n")
                    .doesNotContain(VALUE);
        }
    }

    private static Cli run(Map<String, String> variables) {
        return Cli.with(variables, "run", "--samples", "1", "--sink", "kept");
    }
}
