package dev.rlm.runner.openai;

import dev.rlm.cli.testkit.Cli;
import dev.rlm.cli.testkit.KeptSinkProvider;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.testkit.chat.ChatAnswer;
import dev.rlm.sinks.testkit.chat.ChatServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Runs of a model on one problem, whose answer is 42. */
record Asking(Path folder, ChatServer server) {
    private static final String PROBLEM =
            "{\"question\": \"What is 6 times 7?\", \"answer\": \"<<6*7=42>>\\n#### 42\"}\n";

    /** A request for the calculator. */
    static ChatAnswer calculate(String expression) {
        return ChatAnswer.text("").tool("c1", "calculator", "{\"expression\":\"" + expression + "\"}");
    }

    static ChatAnswer submit(String answer) {
        return ChatAnswer.text("").tool("c2", "submit", "{\"answer\":\"" + answer + "\"}");
    }

    /** Runs it in this process, recorded in memory alone. */
    Cli run(String... more) throws IOException {
        return with(Map.of(), more);
    }

    Cli with(Map<String, String> variables, String... more) throws IOException {
        List<String> all = new ArrayList<>(arguments());
        if (List.of(more).contains("--base-url")) {
            all.removeAll(List.of("--base-url", server.baseUrl()));
        }
        all.addAll(List.of(more));
        all.addAll(List.of("--sink", "kept"));
        return Cli.with(variables, all.toArray(String[]::new));
    }

    List<String> arguments() throws IOException {
        Path problems = Files.writeString(folder.resolve("problems.jsonl"), PROBLEM);
        return List.of(
                "run",
                "--policy",
                "openai",
                "--dataset",
                problems.toString(),
                "--base-url",
                server.baseUrl(),
                "--model",
                "m");
    }

    static List<ModelCalled> calls() {
        return KeptSinkProvider.events(ModelCalled.class);
    }

    static ModelCalled call() {
        List<ModelCalled> calls = calls();
        if (calls.size() != 1) {
            throw new AssertionError("not one call: " + calls);
        }
        return calls.get(0);
    }
}
