package dev.rlm.adk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.adk.agents.LlmAgent;
import com.google.adk.agents.RunConfig;
import com.google.adk.events.Event;
import com.google.adk.models.BaseLlm;
import com.google.adk.models.BaseLlmConnection;
import com.google.adk.models.LlmRequest;
import com.google.adk.models.LlmResponse;
import com.google.adk.plugins.BasePlugin;
import com.google.adk.runner.InMemoryRunner;
import com.google.adk.sessions.Session;
import com.google.adk.tools.AgentTool;
import com.google.adk.tools.Annotations.Schema;
import com.google.adk.tools.BaseTool;
import com.google.adk.tools.FunctionTool;
import com.google.adk.tools.ToolContext;
import com.google.genai.types.Content;
import com.google.genai.types.FunctionCall;
import com.google.genai.types.FunctionResponse;
import com.google.genai.types.GenerateContentResponseUsageMetadata;
import com.google.genai.types.Part;
import dev.rlm.cli.testkit.agent.AgentContract;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.event.ToolCalled;
import dev.rlm.sinks.testkit.InMemorySink;
import dev.rlm.sinks.testkit.chat.ChatAnswer;
import dev.rlm.sinks.traced.AgentRuns;
import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.core.Maybe;
import io.reactivex.rxjava3.core.Single;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Agents of Google's ADK. */
class AdkTest extends AgentContract {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final TypeReference<Map<String, Object>> ARGUMENTS = new TypeReference<>() {};

    private LlmAgent calculator() {
        return LlmAgent.builder()
                .name("calculator")
                .description("calculates")
                .model(new OpenAi(server.baseUrl()))
                .tools(FunctionTool.create(Arithmetic.class, "add"), FunctionTool.create(Arithmetic.class, "divide"))
                .build();
    }

    private static String run(LlmAgent agent, AgentRuns runs, String question, RunConfig.StreamingMode mode) {
        InMemoryRunner runner =
                new InMemoryRunner(agent, "app", List.of(new RecordingPlugin(runs), new ErrorsAsAnswers()));
        Session session = runner.sessionService().createSession("app", "user").blockingGet();
        List<Event> events = runner.runAsync(
                        "user",
                        session.id(),
                        Content.fromParts(Part.fromText(question)),
                        RunConfig.builder().streamingMode(mode).build())
                .toList()
                .blockingGet();
        return events.get(events.size() - 1).stringifyContent();
    }

    @Override
    protected String answer(AgentRuns runs, String question) {
        return run(calculator(), runs, question, RunConfig.StreamingMode.NONE);
    }

    @Override
    protected String stream(AgentRuns runs, String question) {
        return run(calculator(), runs, question, RunConfig.StreamingMode.SSE);
    }

    @Override
    protected String delegate(AgentRuns runs, String question) {
        LlmAgent assistant = LlmAgent.builder()
                .name("assistant")
                .model(new OpenAi(server.baseUrl()))
                .tools(AgentTool.create(calculator(), false, true))
                .build();
        return run(assistant, runs, question, RunConfig.StreamingMode.NONE);
    }

    @Test
    void toolsThatThrow_haveFailed_withWhatAdkTellsOfIt() {
        server.answer(ChatAnswer.text("").tool("call_a", "fetch", "{}").tool("call_b", "lookUp", "{}"));
        server.answer(ChatAnswer.text("Nothing."));
        InMemorySink events = new InMemorySink();
        LlmAgent agent = LlmAgent.builder()
                .name("librarian")
                .model(new OpenAi(server.baseUrl()))
                .tools(FunctionTool.create(Arithmetic.class, "fetch"), FunctionTool.create(Arithmetic.class, "lookUp"))
                .build();
        try (Sinks sinks = Sinks.builder().add("events", events).build()) {
            run(agent, AgentRuns.in(sinks), "?", RunConfig.StreamingMode.NONE);
        }
        assertThat(events.events(ToolCalled.class))
                .extracting(ToolCalled::tool, ToolCalled::failed, call -> String.valueOf(call.error()))
                .containsExactlyInAnyOrder(
                        tuple("fetch", true, "java.io.IOException: torn"),
                        tuple("lookUp", true, "{\"status\":\"error\",\"message\":\"An internal error occurred.\"}"));
    }

    /** What models ask for. */
    public static final class Arithmetic {
        private Arithmetic() {}

        /** Returns the sum. */
        public static Map<String, Object> add(@Schema(name = "a") int a, @Schema(name = "b") int b) {
            return Map.of("result", a + b);
        }

        /** Returns the quotient, or an error that ADK tells of; what a function throws at once it keeps for its log. */
        public static Single<Map<String, Object>> divide(@Schema(name = "a") int a, @Schema(name = "b") int b) {
            return Single.fromCallable(() -> Map.of("result", a / b));
        }

        /** Throws what is checked, which ADK wraps. */
        public static Single<Map<String, Object>> fetch() {
            return Single.error(new IOException("torn"));
        }

        /** Throws at once. */
        @SuppressWarnings("DoNotCallSuggester") // ADK does
        public static Map<String, Object> lookUp() {
            throw new IllegalStateException("no index");
        }
    }

    /** The model is told of an error, as other frameworks do. */
    private static final class ErrorsAsAnswers extends BasePlugin {
        ErrorsAsAnswers() {
            super("errors");
        }

        @Override
        public Maybe<Map<String, Object>> onToolErrorCallback(
                BaseTool tool, Map<String, Object> arguments, ToolContext context, Throwable error) {
            return Maybe.just(Map.of("error", String.valueOf(error.getMessage())));
        }
    }

    /** A model behind a server of chat completions. */
    private static final class OpenAi extends BaseLlm {
        private final String url;

        OpenAi(String url) {
            super("gpt-4o-mini");
            this.url = url;
        }

        @Override
        public Flowable<LlmResponse> generateContent(LlmRequest request, boolean stream) {
            return Flowable.defer(() -> {
                Map<String, Object> asked = Map.of("model", model(), "messages", messages(request), "stream", false);
                HttpResponse<String> answer = HttpClient.newHttpClient()
                        .send(
                                HttpRequest.newBuilder(URI.create(url + "/chat/completions"))
                                        .header("Content-Type", "application/json")
                                        .POST(HttpRequest.BodyPublishers.ofString(JSON.writeValueAsString(asked)))
                                        .build(),
                                HttpResponse.BodyHandlers.ofString());
                if (answer.statusCode() != 200) {
                    throw new IOException(answer.body());
                }
                LlmResponse whole = response(JSON.readTree(answer.body()));
                LlmResponse piece = LlmResponse.builder()
                        .content(Content.builder()
                                .role("model")
                                .parts(Part.fromText("…"))
                                .build())
                        .partial(true)
                        .build();
                return stream ? Flowable.just(piece, whole) : Flowable.just(whole);
            });
        }

        private static List<Map<String, Object>> messages(LlmRequest request) {
            List<Map<String, Object>> messages = new ArrayList<>();
            for (Content content : request.contents()) {
                for (Part part : content.parts().orElse(List.of())) {
                    FunctionResponse gave = part.functionResponse().orElse(null);
                    messages.add(Map.of(
                            "role",
                            gave != null ? "tool" : "user",
                            "content",
                            String.valueOf(gave == null ? part.text().orElse("") : gave.response())));
                }
            }
            return messages;
        }

        private static LlmResponse response(JsonNode answer) {
            JsonNode message = answer.at("/choices/0/message");
            List<Part> parts = new ArrayList<>();
            if (!message.path("content").asText("").isEmpty()) {
                parts.add(Part.fromText(message.path("content").asText()));
            }
            for (JsonNode tool : message.path("tool_calls")) {
                JsonNode function = tool.path("function");
                try {
                    parts.add(Part.builder()
                            .functionCall(FunctionCall.builder()
                                    .id(tool.path("id").asText())
                                    .name(function.path("name").asText())
                                    .args(JSON.readValue(
                                            function.path("arguments").asText().replace("question", "request"),
                                            ARGUMENTS))
                                    .build())
                            .build());
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            }
            return LlmResponse.builder()
                    .content(Content.builder().role("model").parts(parts).build())
                    .usageMetadata(GenerateContentResponseUsageMetadata.builder()
                            .promptTokenCount(answer.at("/usage/prompt_tokens").asInt())
                            .candidatesTokenCount(
                                    answer.at("/usage/completion_tokens").asInt())
                            .build())
                    .build();
        }

        @Override
        public BaseLlmConnection connect(LlmRequest request) {
            throw new UnsupportedOperationException();
        }
    }
}
