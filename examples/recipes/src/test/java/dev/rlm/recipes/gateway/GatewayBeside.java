package dev.rlm.recipes.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.rlm.journal.Journal;
import dev.rlm.recipes.RlmBeside;
import dev.rlm.recipes.gateway.CannedModel.Received;
import dev.rlm.sinks.event.Message;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.ToolCalled;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;

/** {@code rlm gateway} in a process of its own before a canned model, for clients that go to either. */
final class GatewayBeside implements AutoCloseable {
    /** Of the connection, not of the request; and of encodings the gateway passes on those that it can read. */
    private static final Set<String> OF_THE_CONNECTION = Set.of(
            "accept-encoding",
            "connection",
            "content-length",
            "host",
            "http2-settings",
            "transfer-encoding",
            "upgrade");

    private final CannedModel model = new CannedModel();
    private final RlmBeside rlm;

    GatewayBeside(Path folder) throws IOException {
        rlm = new RlmBeside(folder.resolve("journal"), "gateway", "--port", "0", "--upstream", model.url() + "/v1");
    }

    String url() {
        return rlm.url(0);
    }

    CannedModel model() {
        return model;
    }

    /** Has a client go to the model directly and through the gateway, and checks that both sides see the same. */
    List<String> sameOnBothWays(String rollout, Function<String, List<String>> client) {
        model.requests().clear();
        List<String> direct = client.apply(model.url());
        List<Received> received = List.copyOf(model.requests());
        model.requests().clear();
        List<String> forwarded = client.apply(url() + "/rollout_id/" + rollout);
        assertThat(forwarded).isEqualTo(direct);
        assertSameRequests(received, model.requests());
        return direct;
    }

    static void assertSameRequests(List<Received> direct, List<Received> forwarded) {
        assertThat(forwarded).extracting(Received::line).isEqualTo(lines(direct));
        assertThat(forwarded)
                .extracting(Received::body)
                .isEqualTo(direct.stream().map(Received::body).toList());
        assertThat(forwarded)
                .extracting(GatewayBeside::headers)
                .isEqualTo(direct.stream().map(GatewayBeside::headers).toList());
    }

    private static List<String> lines(List<Received> requests) {
        return requests.stream().map(Received::line).toList();
    }

    private static Map<String, List<String>> headers(Received request) {
        Map<String, List<String>> headers = new TreeMap<>(request.headers());
        headers.keySet().removeAll(OF_THE_CONNECTION);
        return headers;
    }

    private List<RunEvent> events(String rollout) {
        Journal journal = Journal.open(rlm.journal());
        return journal.runs().stream()
                .filter(run -> rollout.equals(run.run().correlation().rollout()))
                .flatMap(run -> journal.events(run.runId()).stream())
                .toList();
    }

    List<ModelCalled> calls(String rollout) {
        return events(rollout).stream()
                .filter(ModelCalled.class::isInstance)
                .map(ModelCalled.class::cast)
                .toList();
    }

    /** Checks the record of the canned conversation: two tools at once for a question with a picture, then the answer. */
    void assertConversation(String rollout) {
        List<ModelCalled> calls = calls(rollout);
        assertThat(calls)
                .extracting(
                        call -> call.reply() == null
                                ? null
                                : call.reply().content().text(),
                        call -> call.usage().inputTokens(),
                        call -> call.usage().outputTokens(),
                        call -> call.usage().cachedTokens(),
                        ModelCalled::responseModel,
                        ModelCalled::error)
                .containsExactly(
                        tuple("Two sums.", 20L, 10L, 4L, "sums-2", null),
                        tuple("3 and 7 – done.", 40L, 7L, 4L, "sums-2", null));
        assertThat(Objects.requireNonNull(calls.get(0).reply()).toolCalls())
                .extracting(
                        call -> call.id(),
                        call -> call.tool(),
                        call -> call.arguments().text())
                .containsExactly(
                        tuple("call_a", "add", "{\"a\":1,\"b\":2}"), tuple("call_b", "add", "{\"a\":3,\"b\":4}"));
        assertThat(calls.get(0).messages())
                .extracting(Message::role)
                .as("the first request")
                .containsExactly("system", "user");
        assertThat(calls.get(0).messages().get(1).content().text()).contains("1 + 2, 3 + 4?");
        assertThat(calls.get(0).messages().toString()).contains("image/png").doesNotContain("iVBORw0KGgo");
        assertThat(calls.get(1).messages().toString()).contains("Two sums.", "call_a", "call_b");
        assertThat(events(rollout).stream()
                        .filter(ToolCalled.class::isInstance)
                        .map(ToolCalled.class::cast)
                        .toList())
                .extracting(ToolCalled::callId, tool -> tool.result().text())
                .containsExactly(tuple("call_a", "3"), tuple("call_b", "7"));
    }

    void assertRefused(String rollout) {
        assertThat(calls(rollout))
                .hasSize(1)
                .allSatisfy(
                        call -> assertThat(String.valueOf(call.error())).contains("HTTP 400", "the model is broken"));
    }

    /** Checks that each first try failed and the second, which the client made by itself, did not. */
    void assertTriedAgain(String rollout) {
        assertThat(calls(rollout))
                .extracting(
                        call -> call.error() == null ? "" : call.error().text().replaceAll(":.*", ""))
                .containsExactly("HTTP 429", "", "HTTP 429", "");
    }

    @Override
    public void close() {
        rlm.close();
        model.close();
    }
}
