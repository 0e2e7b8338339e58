package dev.rlm.recipes.collect;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.recipes.gateway.CannedModel;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.ToolCalled;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Agents in Python with the usual instrumentations of OpenAI's client, in the Python that {@code RLM_OTEL_PYTHON} names. */
@Tag("thorough")
@Timeout(300)
@EnabledIfEnvironmentVariable(
        named = PythonSendersTest.PYTHON,
        matches = ".+",
        disabledReason = "RLM_OTEL_PYTHON names no Python with the packages of requirements.txt")
class PythonSendersTest {
    static final String PYTHON = "RLM_OTEL_PYTHON";

    private static final String ASKED = "{\"a\":1,\"b\":2}";

    @TempDir
    private Path folder;

    @ParameterizedTest
    @CsvSource({"openinference, http/protobuf", "openinference, grpc", "openai_v2, http/protobuf", "openai_v2, grpc"})
    void agents_areRuns(String instrumentation, String protocol) throws Exception {
        boolean openInference = instrumentation.equals("openinference");
        try (CannedModel model = new CannedModel();
                CollectBeside collector = new CollectBeside(folder)) {
            Map<String, String> runs = new TreeMap<>();
            run(
                            collector.variables(model, protocol),
                            python(),
                            resource("senders.py").toString(),
                            instrumentation)
                    .lines()
                    .map(line -> line.split(" ", 2))
                    .forEach(line -> runs.put(line[0], line[1]));
            assertThat(runs).containsOnlyKeys("tools", "broken", "busy", "responses", "processes");

            collector.assertConversation(runs.get("tools"), openInference);
            assertRefused(collector, runs.get("broken"));
            assertAskedAgain(collector, runs.get("busy"));
            assertOfProcesses(collector, runs.get("processes"));
            if (openInference) { // the other tells nothing of that API
                assertResponses(collector, runs.get("responses"));
            }
            assertThat(collector.rlm().tell("list", "--json", "--env", "sums").lines())
                    .hasSize(openInference ? 5 : 4);
        }
    }

    @Test
    void programOfThePage_isARun() throws Exception {
        Path program = Files.writeString(folder.resolve("agent.py"), block("```python\n"));
        try (CannedModel model = new CannedModel();
                CollectBeside collector = new CollectBeside(folder)) {
            run(collector.variables(model, "http/protobuf"), python(), program.toString());

            String run = collector.runs(1).get(0);
            assertThat(collector.all(ModelCalled.class, run))
                    .extracting(call -> call.messages().get(0).content().text())
                    .containsExactly("1 + 2, 3 + 4?", "And 5 + 6?");
        }
    }

    @Test
    void commandOfThePage_recordsAnAgentThatKnowsNothingOfIt() throws Exception {
        String page = block("## From Python");
        Path program = Files.writeString(
                folder.resolve("agent.py"),
                "import openai\nopenai.OpenAI().chat.completions.create(model='sums', "
                        + "messages=[{'role': 'user', 'content': '1 + 2?'}])\n");
        try (CannedModel model = new CannedModel();
                CollectBeside collector = new CollectBeside(folder)) {
            Map<String, String> variables = collector.variables(model, "http/protobuf");
            variables.forEach((name, value) -> {
                if (name.startsWith("OTEL_SEMCONV") || name.startsWith("OTEL_INSTRUMENTATION")) {
                    assertThat(page).contains(name + "=" + value);
                }
            });
            assertThat(page).contains("opentelemetry-instrument python agent.py");
            String command =
                    Path.of(python()).resolveSibling("opentelemetry-instrument").toString();
            run(variables, command, python(), program.toString());

            assertThat(collector.all(ModelCalled.class, collector.runs(1).get(0)))
                    .isNotEmpty()
                    .allSatisfy(call -> {
                        assertThat(call.messages().get(0).content().text()).isEqualTo("1 + 2?");
                        assertThat(Objects.requireNonNull(call.reply())
                                        .content()
                                        .text())
                                .isEqualTo("Two sums.");
                    });
        }
    }

    /** Returns what stands in the page of the documentation behind that, up to the end of its block. */
    private static String block(String begin) throws IOException {
        String page = Files.readString(Path.of("../../docs/collect.md"));
        int from = page.indexOf(begin) + begin.length();
        int open = begin.startsWith("```") ? from : page.indexOf("```", from) + 3;
        return page.substring(open, page.indexOf("```", open));
    }

    private static String python() {
        return System.getenv(PYTHON);
    }

    private static Path resource(String name) throws URISyntaxException {
        return Path.of(Objects.requireNonNull(PythonSendersTest.class.getResource(name), name)
                .toURI());
    }

    /** Runs it to its end, which is to be a good one, and returns what it says. */
    private String run(Map<String, String> variables, String... command) throws Exception {
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectError(folder.resolve("err").toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("OTEL_") || name.equals("TRACEPARENT"));
        builder.environment().putAll(variables);
        Process agents = builder.start();
        try {
            String said = new String(agents.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(agents.waitFor())
                    .as(Files.readString(folder.resolve("err")))
                    .isZero();
            return said;
        } finally {
            agents.descendants().forEach(ProcessHandle::destroyForcibly);
            agents.destroyForcibly();
        }
    }

    private static void assertRefused(CollectBeside collector, String run) throws Exception {
        assertThat(collector.rlm().tell("show", run)).contains("failed", "model       broken");
        assertThat(collector.rlm().tell("show", run, "--messages")).contains("error (step 1)", "the model is broken");
        assertThat(collector.all(ModelCalled.class, run)).singleElement().satisfies(call -> {
            assertThat(call.model()).isEqualTo("broken");
            assertThat(Objects.requireNonNull(call.error()).text()).contains("the model is broken");
        });
    }

    private static void assertAskedAgain(CollectBeside collector, String run) {
        assertThat(collector.all(ModelCalled.class, run))
                .extracting(call -> call.error() == null)
                .containsExactly(false, true);
    }

    /** Checks that the work of two processes is all in the trace's run. */
    private static void assertOfProcesses(CollectBeside collector, String run) {
        assertThat(collector.all(ModelCalled.class, run)).hasSize(4).allMatch(call -> call.error() == null);
        assertThat(collector.all(ToolCalled.class, run))
                .extracting(call -> call.result().text())
                .containsExactlyInAnyOrder("3", "3", "7", "7");
    }

    private static void assertResponses(CollectBeside collector, String run) {
        ModelCalled call = collector.all(ModelCalled.class, run).get(0);
        assertThat(Objects.requireNonNull(call.reply()).content().text()).isEqualTo("Two sums.");
        assertThat(call.reply().toolCalls())
                .extracting(asked -> asked.arguments().text())
                .isEqualTo(List.of(ASKED, "{\"a\":3,\"b\":4}"));
    }
}
