package dev.rlm.runs.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.testkit.Cli;
import dev.rlm.journal.RunSummary;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.ToolCalled;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs that {@code rlm import --format sharegpt} makes of conversations. */
@Timeout(180)
class ShareGptImportTest {
    static final String CALLING = """
            {"id": "c-1", "system": "Be brief.", "tools": "[{\\"name\\": \\"add\\"}]", "kto_tag": true,
             "conversations": [
              {"from": "human", "value": "3 + 4?"},
              {"from": "function_call", "value": "{\\"name\\": \\"add\\", \\"arguments\\": {\\"x\\": 3}}", "loss": false},
              {"from": "observation", "value": "7"},
              {"from": "gpt", "value": "It is 7."}]}""";

    @TempDir
    private Path folder;

    private Imports imports;

    @BeforeEach
    void chooseJournal() {
        imports = new Imports(folder, "sharegpt");
    }

    @Test
    void conversation_isARun() throws IOException {
        Path file = imports.write("data.json", "[" + CALLING + "]");
        Cli imported = imports.whole(file);

        assertThat(imported.err().lines())
                .containsExactly(
                        "warning: \"conversations[].loss\" is not known and was not taken over, in 1 line",
                        "warning: \"kto_tag\" is not known and was not taken over, in 1 line");
        RunSummary run = imports.sample("c-1");
        assertThat(run.run().tags()).containsEntry("import.times", "made_up");
        assertThat(imports.start(run).run().task()).hasToString("3 + 4?");
        assertThat(imports.end(run).finalAnswer()).hasToString("It is 7.");
        assertThat(imports.events(run, ModelCalled.class))
                .hasSize(2)
                .allSatisfy(call -> assertThat(call.toolDefinitions()).hasToString("[{\"name\": \"add\"}]"));
        assertThat(imports.events(run, ToolCalled.class))
                .extracting(call -> call.tool() + call.arguments() + call.result())
                .containsExactly("add{\"x\":3}7");
        assertThat(imports.exchange().exported("chat").get(0).get("messages"))
                .extracting(message -> message.get("role").asString())
                .containsExactly("system", "user", "assistant", "tool", "assistant");
        assertThat(imports.report().get("runs").asInt()).isEqualTo(1);
        assertThat(imports.report().get("tool_calls").asInt()).isEqualTo(1);
        assertThat(imports.report().get("unrewarded_runs").asInt()).isEqualTo(1);
        assertThat(imports.whole(file).out()).contains("imported 0 runs\n", "left out 1 run known already");
    }

    @Test
    void lines_andOneDocument_andSeveralCalls_areReadToo() throws IOException {
        assertThat(imports.whole(imports.write("one.json", CALLING)).out()).startsWith("imported 1 run\n");
        String several =
                "{\"id\":7,\"conversations\":[{\"role\":\"user\",\"content\":\"a\"},{\"from\":\"function_call\",\"value\":"
                        + "\"[{\\\"name\\\":\\\"f\\\"},{\\\"name\\\":\\\"g\\\",\\\"arguments\\\":\\\"x\\\"}]\"},"
                        + "{\"from\":\"tool\",\"value\":\"1\"},{\"from\":\"tool\",\"value\":\"2\"}]}";
        assertThat(imports.whole(imports.write("lines.jsonl", several + "\n" + several))
                        .out())
                .contains("imported 1 run\n", "left out 1 run known already");
        assertThat(imports.events(imports.sample("7"), ToolCalled.class))
                .extracting(call -> call.tool() + call.result())
                .containsExactly("f1", "g2");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"messages\":[]}|line 1: expected \"conversations\", a list",
                "{\"conversations\":{}}|line 1: expected \"conversations\" to be a list",
                "{\"conversations\":[1]}|line 1: expected a message to be a JSON object in conversations[0]",
                "{\"conversations\":[{\"value\":\"x\"}]}|line 1: expected a \"from\" in conversations[0]",
                "{\"conversations\":[{\"from\":\"cat\",\"value\":\"x\"}]}|\"from\" to be one of assistant, function_call",
                "{\"conversations\":[{\"from\":\"human\"}]}|line 1: expected a \"value\" in conversations[0]",
                "{\"conversations\":[{\"from\":\"human\",\"value\":[]}]}|line 1: expected \"value\" to be a text in",
                "{\"conversations\":[{\"from\":\"function_call\",\"value\":\"add(3)\"}]}|expected the text of a JSON object",
                "{\"conversations\":[{\"from\":\"function_call\",\"value\":\"[3]\"}]}|each call to be a JSON object",
                "{\"conversations\":[{\"from\":\"function_call\",\"value\":\"{}\"}]}|a \"name\" in each tool call",
                "[{\"conversations\":[]}, 7]|element 2: expected a JSON object",
            })
    void badLine_isToldWithWhatWasExpected(String words) throws IOException {
        String[] parts = words.split("\\|", -1);
        assertThat(imports.refused("bad.jsonl", parts[0]))
                .contains("bad.jsonl, ")
                .contains(parts[1]);
    }

    @Test
    void deepCall_isAnError() throws IOException {
        String deep = "[".repeat(100_000);
        assertThat(imports.refused(
                        "deep.jsonl", "{\"conversations\":[{\"from\":\"function_call\",\"value\":\"" + deep + "\"}]}"))
                .contains("expected the text of a JSON object", "found: Document nesting depth");
    }
}
