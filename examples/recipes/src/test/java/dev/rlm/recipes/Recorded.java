package dev.rlm.recipes;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.rlm.cli.Console;
import dev.rlm.cli.program.Rlm;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Scope;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.ToolCalled;
import dev.rlm.sinks.jsonl.JsonlSink;
import dev.rlm.sinks.testkit.InMemorySink;
import dev.rlm.sinks.testkit.chat.ChatAnswer;
import dev.rlm.sinks.testkit.chat.ChatServer;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** A server whose model says what it was told to, agents that ask it, and what is recorded and exported of them. */
final class Recorded implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Path journal;
    private final ChatServer server;
    private final InMemorySink events = new InMemorySink();
    private final Sinks sinks;

    Recorded(Path folder) throws IOException {
        journal = folder.resolve("journal");
        server = ChatServer.start();
        sinks = Sinks.builder()
                .add("events", events)
                .add("jsonl", JsonlSink.builder().directory(journal).build())
                .build();
    }

    ChatServer server() {
        return server;
    }

    /** The model thinks, says that, asks for a tool that works and for one that does not, and then says what they came to. */
    void scriptTools(String first) {
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
    String answer(String task, Supplier<String> agent) {
        try (Run run = sinks.startRun(RunSpec.builder("recipe").task(task).build());
                Step step = run.startStep();
                Scope scope = step.makeCurrent()) {
            String answer = agent.get();
            step.complete(answer);
            run.complete(answer);
            return answer;
        }
    }

    List<ModelCalled> calls() {
        sinks.close();
        return events.events(ModelCalled.class);
    }

    List<ToolCalled> tools() {
        sinks.close();
        return events.events(ToolCalled.class);
    }

    /** The messages that {@code rlm export} gives of the only run. */
    JsonNode messages() {
        return exported("chat").get(0).get("messages");
    }

    /** Its turns, as {@code rlm export} gives them. */
    List<JsonNode> turns() {
        return exported("triplets", "--include-unrewarded");
    }

    private List<JsonNode> exported(String format, String... options) {
        sinks.close();
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        Console console = new Console(new PrintWriter(out), new PrintWriter(err), false, "./rlm");
        SinkConfig config = SinkConfig.of(Map.of("RLM_JSONL_DIR", journal.toString()));
        List<String> arguments = new ArrayList<>(List.of("export", "--format", format, "--output", "-"));
        arguments.addAll(List.of(options));
        int exitCode = Rlm.execute(console, config, arguments.toArray(String[]::new));
        assertThat(exitCode).as(err.toString()).isZero();
        return out.toString().lines().map(Recorded::json).toList();
    }

    static JsonNode json(String text) {
        try {
            return JSON.readTree(text);
        } catch (JsonProcessingException e) {
            throw new AssertionError(text, e);
        }
    }

    @Override
    public void close() throws IOException {
        sinks.close();
        server.close();
    }
}
