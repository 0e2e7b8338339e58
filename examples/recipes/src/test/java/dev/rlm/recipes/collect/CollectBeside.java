package dev.rlm.recipes.collect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import dev.rlm.journal.Journal;
import dev.rlm.journal.RunSummary;
import dev.rlm.recipes.RlmBeside;
import dev.rlm.recipes.gateway.CannedModel;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.ToolCalled;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** {@code rlm collect} in a process of its own, and what it has made of spans. */
final class CollectBeside implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final RlmBeside rlm;

    CollectBeside(Path folder) throws IOException {
        rlm = new RlmBeside(
                folder.resolve("journal"),
                "collect",
                "--port",
                "0",
                "--grpc-port",
                Integer.toString(freePort()),
                "--quiet-time",
                "500ms");
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    RlmBeside rlm() {
        return rlm;
    }

    String url(String protocol) {
        return rlm.url(protocol.equals("grpc") ? 1 : 0);
    }

    /** Returns the environment of an agent that asks this model, and sends spans with messages to here. */
    Map<String, String> variables(CannedModel model, String protocol) {
        return Map.of(
                "OPENAI_BASE_URL",
                model.url() + "/v1",
                "OPENAI_API_KEY",
                "none",
                "OTEL_SERVICE_NAME",
                "sums",
                "OTEL_EXPORTER_OTLP_ENDPOINT",
                url(protocol),
                "OTEL_EXPORTER_OTLP_PROTOCOL",
                protocol,
                "OTEL_EXPORTER_OTLP_COMPRESSION",
                "gzip",
                "OTEL_SEMCONV_STABILITY_OPT_IN",
                "gen_ai_latest_experimental",
                "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT",
                "SPAN_ONLY");
    }

    /** Returns the ids of the runs, once there are as many. */
    List<String> runs(int count) {
        await().atMost(PATIENCE)
                .until(() -> Journal.isAt(rlm.journal())
                        && Journal.open(rlm.journal()).runs().size() >= count);
        List<String> runs = Journal.open(rlm.journal()).runs().stream()
                .map(RunSummary::runId)
                .toList();
        assertThat(runs).hasSize(count);
        return runs;
    }

    /** Returns the events of a kind that a run has, once it has ended. */
    <T extends RunEvent> List<T> all(Class<T> kind, String run) {
        await().atMost(PATIENCE)
                .until(() -> Journal.isAt(rlm.journal())
                        && Journal.open(rlm.journal()).runs().stream()
                                .anyMatch(each -> each.runId().equals(run) && each.end() != null));
        return Journal.open(rlm.journal()).events(run).stream()
                .filter(kind::isInstance)
                .map(kind::cast)
                .toList();
    }

    /**
     * Checks the canned conversation: two tools at once, then the answer, which is streamed.
     *
     * @param cached whether the sender tells of cached tokens
     */
    void assertConversation(String run, boolean cached) throws Exception {
        List<ModelCalled> calls = all(ModelCalled.class, run);
        assertThat(calls)
                .extracting(
                        ModelCalled::provider,
                        ModelCalled::model,
                        ModelCalled::responseModel,
                        call -> call.usage().inputTokens(),
                        call -> call.usage().outputTokens(),
                        call -> call.parameters().get("temperature"),
                        call -> Objects.requireNonNull(call.reply()).content().text())
                .containsExactly(
                        tuple("openai", "sums", "sums-2", 20L, 10L, 0.5, "Two sums."),
                        tuple("openai", "sums", "sums-2", 40L, 7L, 0.5, "3 and 7 – done."));
        if (cached) {
            assertThat(calls).extracting(call -> call.usage().cachedTokens()).containsOnly(4L);
        }
        assertThat(Objects.requireNonNull(calls.get(0).reply()).toolCalls())
                .extracting(call -> call.id(), call -> call.tool())
                .containsExactly(tuple("call_a", "add"), tuple("call_b", "add"));
        assertThat(calls.get(1).messages())
                .extracting(message -> message.role())
                .containsExactly("system", "user", "assistant", "tool", "tool");
        assertThat(all(ToolCalled.class, run))
                .extracting(
                        ToolCalled::tool,
                        ToolCalled::callId,
                        ToolCalled::step,
                        tool -> tool.result().text())
                .containsExactly(tuple("add", "call_a", 1, "3"), tuple("add", "call_b", 1, "7"));
        assertThat(rlm.tell("show", run, "--messages"))
                .containsSubsequence(
                        "user", "1 + 2, 3 + 4?", "assistant (step 1)", "add({\"a\":1,\"b\":2})", "3 and 7 – done.");
    }

    @Override
    public void close() {
        rlm.close();
    }
}
