package dev.rlm.cli.doors;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.testkit.RunningCli;
import dev.rlm.cli.testkit.ScriptedUpstream;
import dev.rlm.json.Json;
import dev.rlm.sinks.event.Message;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.Usage;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Records a run by {@code rlm gateway}: an unchanged agent calls its model there, and its server logs the end of the rollout. */
final class GatewayDoor {
    private GatewayDoor() {}

    /** Records the run into a journal. */
    static void record(List<RunEvent> events, Path journal) throws Exception {
        Map<String, Object> extras = new LinkedHashMap<>();
        String rollout =
                Objects.requireNonNull(events.get(0).run().correlation().rollout());
        try (ScriptedUpstream upstream = new ScriptedUpstream(ScriptedUpstream.json("{}"));
                RunningCli rlm = RunningCli.start(
                        journal,
                        Map.of("RLM_JSONL_DIR", journal.toString()),
                        "gateway",
                        "--port",
                        "0",
                        "--upstream",
                        upstream.url())) {
            for (RunEvent event : events) {
                if (event instanceof ModelCalled call) {
                    upstream.script(ScriptedUpstream.json(answer(call)));
                    post(rlm.awaitUrl() + "/rollout_id/" + rollout + "/chat/completions", request(call));
                } else if (event instanceof RewardGiven reward) {
                    extras.put("reward", reward.value());
                } else if (event instanceof RunEnded end) {
                    Map<String, Object> status = Map.of(
                            "code", end.status().code(), "message", end.status().message());
                    post(
                            rlm.awaitUrl() + "/logs",
                            Map.of(
                                    "message",
                                    end.status().message(),
                                    "status",
                                    status,
                                    "tags",
                                    List.of("rollout_id:" + rollout),
                                    "extras",
                                    extras));
                }
            }
            rlm.stop();
        }
    }

    private static void post(String url, Map<String, Object> body) throws Exception {
        HttpResponse<String> answer = HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create(url))
                                .POST(HttpRequest.BodyPublishers.ofString(Json.text(body)))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    }

    private static Map<String, Object> request(ModelCalled call) {
        List<Object> messages = new ArrayList<>();
        call.messages()
                .forEach(message -> messages.add(Map.of(
                        "role", message.role(), "content", message.content().text())));
        return Map.of("model", call.model(), "messages", messages);
    }

    private static String answer(ModelCalled call) {
        Message reply = Objects.requireNonNull(call.reply());
        Usage usage = call.usage();
        List<Object> calls = new ArrayList<>();
        reply.toolCalls()
                .forEach(asked -> calls.add(Map.of(
                        "id",
                        asked.id(),
                        "type",
                        "function",
                        "function",
                        Map.of(
                                "name",
                                asked.tool(),
                                "arguments",
                                asked.arguments().text()))));
        return Json.text(Map.of(
                "choices",
                List.of(Map.of(
                        "message",
                        Map.of("role", reply.role(), "content", reply.content().text(), "tool_calls", calls),
                        "finish_reason",
                        Objects.requireNonNull(call.finishReason()))),
                "usage",
                Map.of(
                        "prompt_tokens",
                        Objects.requireNonNull(usage.inputTokens()),
                        "completion_tokens",
                        Objects.requireNonNull(usage.outputTokens()),
                        "prompt_tokens_details",
                        Map.of("cached_tokens", Objects.requireNonNull(usage.cachedTokens())),
                        "completion_tokens_details",
                        Map.of("reasoning_tokens", Objects.requireNonNull(usage.reasoningTokens())))));
    }
}
