package dev.rlm.cli.testkit.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.testkit.Cli;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Scope;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.ToolCalled;
import dev.rlm.sinks.jsonl.JsonlSink;
import dev.rlm.sinks.testkit.InMemorySink;
import dev.rlm.sinks.testkit.chat.ChatAnswer;
import dev.rlm.sinks.testkit.chat.ChatServer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A server whose model says what it was told to, agents that ask it, and what is recorded and exported of them. The verb {@code export}
 * has to be on the class path.
 */
public final class AgentRecording implements AutoCloseable {
    private static final JsonMapper JSON = new JsonMapper();

    private final Path journal;
    private final ChatServer server;
    private final InMemorySink events = new InMemorySink();
    private final Sinks sinks;

    /** Starts the server; what agents are recorded in is in that folder. */
    public AgentRecording(Path folder) throws IOException {
        journal = folder.resolve("journal");
        server = ChatServer.start();
        sinks = Sinks.builder()
                .add("events", events)
                .add("jsonl", JsonlSink.builder().directory(journal).build())
                .build();
    }

    /** Returns the server that agents ask. */
    public ChatServer server() {
        return server;
    }

    /** The model thinks, says that, asks for a tool that works and for one that does not, and then says what they came to. */
    public void scriptTools(String first) {
        server.answer(ChatAnswer.text(first)
                .reasoning("Two tools, then.")
                .tool("call_a", "add", "{\"a\": 1, \"b\": 2}")
                .tool("call_b", "divide", "{\"a\": 1, \"b\": 0}")
                .usage("{\"prompt_tokens\":20,\"completion_tokens\":10,\"total_tokens\":30,"
                        + "\"prompt_tokens_details\":{\"cached_tokens\":16},"
                        + "\"completion_tokens_details\":{\"reasoning_tokens\":4}}")
                .pieces(5));
        server.answer(ChatAnswer.text("It is 3, \"and\" nothing.")
                .reasoning("Done.")
                .usage(40, 7)
                .pieces(4));
    }

    /** Has the agent answer in a step of a run. */
    public String answer(String task, Supplier<String> agent) {
        try (Run run = sinks.startRun(RunSpec.builder("recipe").task(task).build());
                Step step = run.startStep();
                Scope scope = step.makeCurrent()) {
            String answer = agent.get();
            step.complete(answer);
            run.complete(answer);
            return answer;
        }
    }

    /** Returns the calls of the model that were recorded; nothing is recorded afterwards. */
    public List<ModelCalled> calls() {
        sinks.close();
        return events.events(ModelCalled.class);
    }

    /** Returns the calls of tools that were recorded; nothing is recorded afterwards. */
    public List<ToolCalled> tools() {
        sinks.close();
        return events.events(ToolCalled.class);
    }

    /** The messages that {@code rlm export} gives of the only run. */
    public JsonNode messages() {
        return exported("chat").get(0).get("messages");
    }

    /** Its turns, as {@code rlm export} gives them. */
    public List<JsonNode> turns() {
        return exported("triplets", "--include-unrewarded");
    }

    private List<JsonNode> exported(String format, String... options) {
        sinks.close();
        List<String> arguments = new ArrayList<>(List.of("export", "--format", format, "--output", "-"));
        arguments.addAll(List.of(options));
        Cli export = Cli.with(Map.of("RLM_JSONL_DIR", journal.toString()), arguments.toArray(String[]::new));
        assertThat(export.exitCode()).as(export.err()).isZero();
        return export.lines().stream().map(AgentRecording::json).toList();
    }

    /** Reads JSON. */
    public static JsonNode json(String text) {
        return JSON.readTree(text);
    }

    @Override
    public void close() throws IOException {
        sinks.close();
        server.close();
    }
}
