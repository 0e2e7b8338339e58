package dev.rlm.runs.exchange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.rlm.cli.testkit.Cli;
import dev.rlm.journal.RunSummary;
import dev.rlm.sinks.event.Message;
import dev.rlm.sinks.event.MessagePart;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunStatus;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.event.ToolCalled;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Runs that {@code rlm import} makes of conversations that others train on. */
@Timeout(180)
class ChatImportTest {
    private static final String TOOLS =
            "[{\"type\":\"function\",\"function\":{\"name\":\"add\",\"parameters\":{\"type\":\"object\"}}}]";

    @TempDir
    private Path folder;

    private Imports imports;

    @BeforeEach
    void chooseJournal() {
        imports = new Imports(folder, "chat");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void tools_areThoseOfEachCall_asAListOrAsItsText(boolean isText) throws IOException {
        String tools = isText ? "\"" + TOOLS.replace("\"", "\\\"") + "\"" : TOOLS;
        Cli imported = imports.whole(imports.write(
                "sft.jsonl",
                "{\"tools\":" + tools + ",\"messages\":[{\"role\":\"user\",\"content\":\"Lights on.\"},"
                        + "{\"role\":\"assistant\",\"tool_calls\":[{\"type\":\"function\",\"function\":{\"name\":\"light\","
                        + "\"arguments\":{\"on\":true}}}]},{\"role\":\"tool\",\"name\":\"light\",\"content\":\"on\"},"
                        + "{\"role\":\"assistant\",\"content\":\"Done!\"}]}"));

        assertThat(imported.err()).isEmpty();
        RunSummary run = imports.runs().get(0);
        assertThat(imports.events(run, ModelCalled.class))
                .extracting(call -> String.valueOf(call.toolDefinitions()))
                .containsExactly(TOOLS, TOOLS);
        assertThat(imports.events(run, ToolCalled.class))
                .extracting(call -> call.tool() + call.arguments() + call.result())
                .containsExactly("light{\"on\":true}on");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[{\"id\":\"c\",\"function\":{\"name\":\"look\",\"arguments\":\"{\\\"city\\\": 7}\"}}]",
                "[{\"id\":\"c\",\"function\":\"{\\\"name\\\":\\\"look\\\",\\\"arguments\\\":\\\"{\\\\\\\"city\\\\\\\": 7}\\\"}\"}]",
                "[\"{\\\"id\\\":\\\"c\\\",\\\"name\\\":\\\"look\\\",\\\"arguments\\\":\\\"{\\\\\\\"city\\\\\\\": 7}\\\"}\"]",
                "\"[{\\\"id\\\":\\\"c\\\",\\\"name\\\":\\\"look\\\",\\\"arguments\\\":\\\"{\\\\\\\"city\\\\\\\": 7}\\\"}]\"",
            })
    void calls_areRead_alsoAsTextsOfJson(String calls) throws IOException {
        imports.whole(imports.write(
                "calls.jsonl",
                "{\"prompt\":[{\"role\":\"user\",\"content\":\"q\"}],\"completion\":[{\"role\":\"assistant\",\"content\":null,"
                        + "\"tool_calls\":" + calls
                        + "},{\"role\":\"tool\",\"tool_call_id\":\"c\",\"content\":\"sun\"}]}"));

        assertThat(imports.events(imports.runs().get(0), ToolCalled.class))
                .extracting(call -> call.tool() + call.arguments() + call.callId())
                .containsExactly("look{\"city\": 7}c");
    }

    @Test
    void callsThatAreNoJson_areBad() throws IOException {
        assertThat(imports.refused(
                        "bad.jsonl",
                        "{\"messages\":[{\"role\":\"assistant\",\"content\":\"\",\"tool_calls\":[\"look()\"]}]}"))
                .contains("line 1: expected \"tool_calls\" to be JSON, found: ", " in message 1");
    }

    @Test
    void callsOfTheUser_areNoneOfTheAgent_andStandBeforeTheirAnswers() throws IOException {
        Cli imported = imports.whole(
                imports.write(
                        "simulated.jsonl",
                        "{\"messages\":[{\"role\":\"user\",\"content\":\"No signal.\"},"
                                + "{\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"a1\",\"name\":\"get_line\",\"arguments\":{},\"requestor\":\"assistant\"}]},"
                                + "{\"role\":\"tool\",\"id\":\"a1\",\"content\":\"active\",\"requestor\":\"assistant\"},"
                                + "{\"role\":\"assistant\",\"content\":\"Restart it.\"},"
                                + "{\"role\":\"user\",\"content\":null,\"tool_calls\":["
                                + "{\"id\":\"u1\",\"name\":\"restart\",\"arguments\":{},\"requestor\":\"user\"},"
                                + "{\"id\":\"u2\",\"name\":\"check\",\"arguments\":{},\"requestor\":\"user\"}]},"
                                + "{\"role\":\"tool\",\"id\":\"u2\",\"content\":\"4 bars\",\"requestor\":\"user\"},"
                                + "{\"role\":\"tool\",\"id\":\"u1\",\"content\":\"Error: too hot\",\"requestor\":\"user\"},"
                                + "{\"role\":\"user\",\"content\":\"Four.\"},{\"role\":\"assistant\",\"content\":\"Good.\"}]}"));

        assertThat(imported.err()).doesNotContain("requestor");
        RunSummary run = imports.runs().get(0);
        assertThat(imports.events(run, ToolCalled.class))
                .extracting(call -> call.tool() + call.result())
                .containsExactly("get_lineactive");
        assertThat(imports.events(run, StepEnded.class)).allMatch(StepEnded::success);
        assertThat(imports.exchange().exported("chat").get(0).get("messages"))
                .extracting(message -> message.path("role").asString()
                        + message.path("tool_call_id").asString(""))
                .containsExactly(
                        "user", "assistant", "toola1", "assistant", "user", "toolu2", "toolu1", "user", "assistant");
    }

    @Test
    void promptAndCompletion_areOneConversation() throws IOException {
        Cli imported = imports.whole(imports.write(
                "dpo.jsonl",
                "{\"prompt\":[{\"role\":\"system\",\"content\":\"s\"},{\"role\":\"user\",\"content\":\"q\"}],"
                        + "\"completion\":[{\"role\":\"assistant\",\"content\":\"a\",\"weight\":1}],\"label\":true}\n"
                        + "{\"prompt\":\"The sky is\",\"completion\":\" blue.\"}"));

        assertThat(imported.err().lines())
                .containsExactly(
                        "warning: \"label\" is not known and was not taken over, in 1 line",
                        "warning: \"completion[].weight\" is not known and was not taken over, in 1 line");
        assertThat(imports.runs()).hasSize(2);
        assertThat(imports.exchange().exported("chat"))
                .extracting(chat -> chat.get("messages").toString())
                .containsExactlyInAnyOrder(
                        "[{\"role\":\"system\",\"content\":\"s\"},{\"role\":\"user\",\"content\":\"q\"},"
                                + "{\"role\":\"assistant\",\"content\":\"a\"}]",
                        "[{\"role\":\"user\",\"content\":\"The sky is\"},{\"role\":\"assistant\",\"content\":\" blue.\"}]");
    }

    @Test
    void partsThatAreNotKept_areNamedAndCounted_andThoughtsAreKept() throws IOException {
        Cli imported = imports.whole(imports.write(
                "parts.jsonl",
                "{\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"Hear:\"},"
                        + "{\"type\":\"input_audio\",\"input_audio\":{\"data\":\"AAAA\",\"format\":\"wav\"}},"
                        + "{\"type\":\"image_url\",\"image_url\":{\"url\":\"https://x.test/1.png\"}}]},"
                        + "{\"role\":\"assistant\",\"reasoning_content\":\"A cat?\",\"content\":\"A cat.\"}]}"));

        assertThat(imported.err().lines())
                .containsExactly("warning: \"messages[].content[].input_audio\" is not known and was not taken over, in"
                        + " 1 line");
        ModelCalled call =
                imports.events(imports.runs().get(0), ModelCalled.class).get(0);
        assertThat(call.messages().get(0).content()).hasToString("Hear:");
        assertThat(call.messages().get(0).parts())
                .extracting(MessagePart::type, MessagePart::uri)
                .containsExactly(
                        tuple(MessagePart.Type.TEXT, null),
                        tuple(MessagePart.Type.AUDIO, "data:"),
                        tuple(MessagePart.Type.IMAGE, "https://x.test/1.png"));
        Message reply = Objects.requireNonNull(call.reply());
        assertThat(reply.content()).hasToString("A cat.");
        assertThat(reply.parts())
                .extracting(MessagePart::type)
                .containsExactly(MessagePart.Type.REASONING, MessagePart.Type.TEXT);
    }

    /** As through every other way in. */
    @ParameterizedTest
    @CsvSource({
        "completed, 1, true, 100, ''",
        "completed, \"NaN\", false, 102, a reward could not be computed",
        "failed, 1, true, 13, ''",
        "aborted, 1, true, 1, ''",
        "abandoned, 1, false, 10, its process died"
    })
    void endOfARun_followsFromItsOutcomeAndRewards(
            String outcome, String reward, boolean solved, int code, String message) throws IOException {
        imports.whole(imports.write(
                "ends.jsonl",
                "{\"messages\":[{\"role\":\"assistant\",\"content\":\"12\"}],\"outcome\":\"" + outcome
                        + "\",\"reward\":" + reward + "}"));

        RunEnded end = Objects.requireNonNull(imports.runs().get(0).end());
        assertThat(end.solved()).isEqualTo(solved);
        assertThat(end.status()).isEqualTo(RunStatus.of(code, message));
    }

    @Test
    void rewards_haveTheirSources_andAreSummed() throws IOException {
        imports.whole(imports.write(
                "rewards.jsonl",
                "{\"messages\":[{\"role\":\"assistant\",\"content\":\"a\"}],\"cut_off\":true,\"metrics\":{\"turns\":3},"
                        + "\"termination_reason\":\"max_tokens\",\"rewards\":[{\"source\":\"style\",\"value\":0.5,"
                        + "\"explanation\":\"dry\"},{\"source\":\"tests\",\"value\":true,\"label\":\"pass\"}]}"));

        RunSummary run = imports.runs().get(0);
        assertThat(run.totalReward()).isEqualTo(1.5);
        assertThat(run.isSolved()).isTrue();
        assertThat(imports.events(run, RewardGiven.class))
                .extracting(given -> given.source() + given.value() + given.label() + given.explanation())
                .containsExactly("style0.5nulldry", "tests1.0passnull");
        assertThat(imports.end(run).truncated()).isTrue();
        assertThat(imports.end(run).terminationReason()).isEqualTo("max_tokens");
        assertThat(imports.end(run).metrics()).isEqualTo(Map.of("turns", 3.0));
        assertThat(imports.report().get("mean_reward").asDouble()).isEqualTo(1.5);
    }

    @Test
    void list_isReadElementByElement() throws IOException {
        String chat = "{\"run_id\":\"r%d\",\"messages\":[{\"role\":\"assistant\",\"content\":\"a ] , \\\\\\\" } [\"}]}";
        Path file = imports.write(
                "list.json",
                "\uFEFF [\n" + chat.formatted(1) + " ,\n {\"messages\": 7},\n" + chat.formatted(2) + "\n]\n");
        Cli imported = imports.run(file, "--skip-bad-lines");

        assertThat(imported.out()).contains("imported 2 runs\n", "bad      1 line\n");
        assertThat(imported.err()).contains("list.json, element 2: expected \"messages\" to be a list");
        assertThat(imports.whole(imports.write("none.json", "[ ]")).out()).startsWith("imported 0 runs\n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[1]|element 1: expected a JSON object",
                "[{\"messages\":[]}|element 1: expected a list that ends, found the end of the text",
                "[{\"messages\":[]},|element 2: expected a list that ends, found the end of the text",
                "[{\"messages\":[]},]|element 2: expected a JSON object",
                "[{\"messages\":[]}] x|element 1: expected nothing behind the list",
                "[\"|element 1: expected a list that ends, found the end of the text",
                "{\"prompt\":\"p\"}|line 1: expected \"messages\", a list, or \"prompt\" and \"completion\"",
                "{\"prompt\":7,\"completion\":\"c\"}|line 1: expected \"prompt\" to be a list",
                "{\"tools\":7,\"messages\":[]}|line 1: expected \"tools\" to be a list, or the text of one",
                "{\"reward\":1,\"rewards\":[{}],\"messages\":[]}|line 1: expected \"reward\" or \"rewards\", not both",
                "{\"rewards\":[{\"value\":\"x\"}],\"messages\":[]}|line 1: expected \"value\" to be a number",
                "{\"metrics\":{\"m\":\"x\"},\"messages\":[]}|line 1: expected \"m\" to be a number",
            })
    void badText_isToldWithWhatWasExpected(String words) throws IOException {
        String[] parts = words.split("\\|", -1);
        assertThat(imports.refused("bad.jsonl", parts[0])).contains("bad.jsonl, " + parts[1]);
    }

    @Test
    void deepValues_areAnError_inALineAndInAList() throws IOException {
        String deep = "{\"messages\":" + "[".repeat(100_000) + "]".repeat(100_000) + "}";
        assertThat(imports.refused("deep.jsonl", deep))
                .contains("line 1: expected a JSON object, found: Document nesting");
        assertThat(imports.refused("deep.json", "[" + deep + "]"))
                .contains("element 1: expected a JSON object, found: Document nesting");
    }

    @Test
    void exportedMessages_importedElsewhere_areExportedTheSame() throws IOException {
        imports.whole(imports.write(
                "chats.jsonl",
                "{\"run_id\":\"r\",\"reward\":1,\"tools\":" + TOOLS
                        + ",\"messages\":[{\"role\":\"user\",\"content\":\"3+4\"},"
                        + "{\"role\":\"assistant\",\"content\":\"\",\"tool_calls\":[{\"id\":\"1\",\"type\":\"function\","
                        + "\"function\":{\"name\":\"add\",\"arguments\":\"{}\"}}]},"
                        + "{\"role\":\"tool\",\"tool_call_id\":\"1\",\"content\":\"7\"},"
                        + "{\"role\":\"assistant\",\"content\":\"It is 7.\"}]}"));
        imports.exchange().recordJob(5, 4);
        List<JsonNode> first = imports.exchange().exported("messages");
        assertThat(first).hasSize(21);
        Path file = folder.resolve("messages.jsonl");
        assertThat(imports.exchange().export("messages", file).exitCode()).isZero();

        Imports other = new Imports(Files.createDirectory(folder.resolve("other")), "chat");
        other.whole(file);

        assertThat(other.exchange().exported("messages")).containsExactlyInAnyOrderElementsOf(first);
        assertThat(other.report().get("mean_reward")).isEqualTo(imports.report().get("mean_reward"));
        assertThat(other.report().get("solved")).isEqualTo(imports.report().get("solved"));
    }
}
