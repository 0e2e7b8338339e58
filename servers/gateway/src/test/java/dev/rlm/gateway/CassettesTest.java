package dev.rlm.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.rlm.cli.testkit.ScriptedUpstream;
import dev.rlm.json.Json;
import dev.rlm.sinks.event.ModelCalled;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import tools.jackson.databind.JsonNode;

/** Exchanges with real model servers, played behind the gateway: bytes, models and tokens are theirs. */
class CassettesTest {
    private static final Path CASSETTES =
            Path.of(Objects.requireNonNullElse(System.getenv("RLM_REAL_DATA"), "none"), "cassettes");
    private static final Pattern CALL = Pattern.compile(".*/(chat/completions|responses|messages)/?(\\?.*)?");
    private static final Pattern USAGE = Pattern.compile("\"usage\": ?\\{((?:[^{}]|\\{[^{}]*})*)}");
    private static final Pattern TOKENS = Pattern.compile("\"(\\w+_tokens)\": ?(\\d+)");

    @TempDir
    private Path folder;

    /** Request and response of an exchange. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Exchange(String name, String api, String request, int status, String type, byte[] reply) {}

    private static List<Exchange> exchanges() throws Exception {
        List<Exchange> all = new ArrayList<>();
        try (Stream<Path> files = Files.walk(CASSETTES)) {
            for (Path file : files.filter(each -> each.toString().endsWith(".yaml"))
                    .sorted()
                    .toList()) {
                JsonNode cassette = Json.tree(Objects.requireNonNull(
                        new Load(LoadSettings.builder().build()).loadFromString(Files.readString(file))));
                for (JsonNode each : cassette.path("interactions")) {
                    add(file, each, all);
                }
            }
        }
        return all;
    }

    private static void add(Path file, JsonNode exchange, List<Exchange> all) {
        JsonNode request = exchange.path("request");
        JsonNode response = exchange.path("response");
        Matcher path = CALL.matcher(request.path("uri").stringValue(""));
        JsonNode body = response.path("body").path("string");
        if (path.matches() && request.path("body").isString() && body.isString()) {
            all.add(new Exchange(
                    CASSETTES.relativize(file).toString(),
                    path.group(1),
                    request.path("body").stringValue(),
                    response.path("status").path("code").intValue(200),
                    response.path("headers").path("Content-Type").path(0).stringValue("application/json"),
                    body.stringValue().getBytes(StandardCharsets.UTF_8)));
        }
    }

    @Test
    void exchanges_arePassedOnToTheByte_andRecordedWithModelAndTokens() throws Exception {
        assumeTrue(Files.isDirectory(CASSETTES), "RLM_REAL_DATA names no folder of recorded exchanges");
        List<Exchange> exchanges = exchanges();
        Map<String, String> wrong = new TreeMap<>();
        try (ScriptedUpstream upstream = new ScriptedUpstream(ScriptedUpstream.json("{}"));
                RunningGateway gateway = RunningGateway.start(folder, Map.of(), "--upstream", upstream.url())) {
            for (int i = 0; i < exchanges.size(); i++) {
                Exchange each = exchanges.get(i);
                upstream.script(ScriptedUpstream.reply(
                        each.status() + " X", "Content-Type: " + each.type() + "\r\n", each.reply()));
                HttpResponse<byte[]> answer = gateway.client()
                        .send(
                                HttpRequest.newBuilder(
                                                URI.create(gateway.url() + "/rollout_id/r" + i + "/v1/" + each.api()))
                                        .POST(HttpRequest.BodyPublishers.ofString(each.request()))
                                        .build(),
                                HttpResponse.BodyHandlers.ofByteArray());
                assertThat(answer.body()).as(each.name()).isEqualTo(each.reply());
                List<ModelCalled> calls = gateway.calls("r" + i);
                String problem = calls.isEmpty() ? "no call" : problem(each, calls.get(0));
                if (!problem.isEmpty()) {
                    wrong.put(each.name() + " " + i, problem);
                }
            }
        }
        assertThat(wrong).isEmpty();
        assertThat(exchanges).hasSizeGreaterThan(50);
    }

    private static String problem(Exchange exchange, ModelCalled call) {
        String model = Json.REPLY.object(exchange.request()).path("model").stringValue("");
        if (!call.model().equals(model)) {
            return "model " + call.model() + " and not " + model;
        }
        String body = new String(exchange.reply(), StandardCharsets.UTF_8);
        boolean failed = exchange.status() >= 300 || body.matches("(?s)\\s*\\{\\s*\"error\": ?\\{.*");
        if (failed != (call.error() != null)) {
            return "error " + call.error() + " of status " + exchange.status();
        } else if (failed) {
            return "";
        } else if (call.reply() == null) {
            return "no reply";
        }
        Map<String, Long> usage = usage(body);
        Long input = usage.get("prompt_tokens");
        if (input == null && usage.containsKey("input_tokens")) { // Anthropic's are without those of a cache
            boolean beside = exchange.api().equals("messages");
            input = usage.get("input_tokens")
                    + (beside ? usage.getOrDefault("cache_read_input_tokens", 0L) : 0)
                    + (beside ? usage.getOrDefault("cache_creation_input_tokens", 0L) : 0);
        }
        Long output = usage.getOrDefault("completion_tokens", usage.get("output_tokens"));
        boolean right = Objects.equals(input, call.usage().inputTokens())
                && Objects.equals(output, call.usage().outputTokens());
        return right ? "" : "tokens " + call.usage() + " and not " + usage;
    }

    /** Returns what a reply tells of its tokens; of a stream the last of each number counts. */
    private static Map<String, Long> usage(String reply) {
        Map<String, Long> usage = new TreeMap<>();
        Matcher told = USAGE.matcher(reply);
        while (told.find()) {
            Matcher tokens = TOKENS.matcher(told.group(1));
            while (tokens.find()) {
                usage.put(tokens.group(1), Long.valueOf(tokens.group(2)));
            }
        }
        return usage;
    }
}
