package dev.rlm.sinks.otel.backend;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import tools.jackson.databind.JsonNode;

/** A real Arize Phoenix ({@code PHOENIX_BIN}), which keeps its traces in memory. */
public final class PhoenixServer extends Backend {
    private static final Port HTTP = new Port("PHOENIX", 6006); // the variables of its own for them: PHOENIX_PORT
    private static final Port GRPC = new Port("PHOENIX_GRPC", 4317);

    private final JsonClient client = new JsonClient();

    private PhoenixServer() {
        super(new Program(
                "Phoenix",
                "PHOENIX_BIN",
                Program.NO_IMAGE,
                List.of(HTTP, GRPC),
                "/healthz",
                200,
                Map.of(),
                Map.of(
                        "PHOENIX_HOST", "127.0.0.1",
                        "PHOENIX_WORKING_DIR", ".", // the folder that is its own
                        "PHOENIX_SQL_DATABASE_URL", "sqlite:///:memory:", // its hundreds of migrations wait for no disk
                        "PHOENIX_LOG_MIGRATIONS", "false",
                        "PHOENIX_TELEMETRY_ENABLED", "false",
                        "PHOENIX_ALLOW_EXTERNAL_RESOURCES", "false"),
                place -> List.of("serve")));
    }

    /** A Phoenix to be started by JUnit. */
    public static PhoenixServer create() {
        return new PhoenixServer();
    }

    /** Starts a Phoenix and returns when it is ready. */
    public static PhoenixServer start() throws IOException {
        PhoenixServer phoenix = create();
        phoenix.open();
        return phoenix;
    }

    /** The value for {@code PHOENIX_COLLECTOR_ENDPOINT}. */
    public String url() {
        return url(HTTP);
    }

    /** The names of its projects, as its first page lists them. */
    public List<String> projects() {
        return client.get(url() + "/v1/projects")
                .path("data")
                .valueStream()
                .map(project -> project.path("name").asString())
                .toList();
    }

    /** The spans of a project; none where there is no such project yet. */
    public List<PhoenixSpan> spans(String project) {
        return client.find(url() + "/v1/projects/" + project + "/spans?limit=1000").stream()
                .flatMap(answer -> answer.path("data").valueStream())
                .map(PhoenixSpan::of)
                .toList();
    }

    /** Waits until the spans of a project are as wanted, and returns them. */
    public List<PhoenixSpan> awaitSpans(String project, Predicate<List<PhoenixSpan>> wanted) {
        return await().until(() -> spans(project), wanted);
    }

    /** What stands beside a span as its annotations. */
    public List<JsonNode> annotations(String project, PhoenixSpan span) {
        return client.get(url() + "/v1/projects/" + project + "/span_annotations?limit=1000&span_ids=" + span.spanId())
                .path("data")
                .valueStream()
                .toList();
    }

    /** The answer to a question of its pages, in GraphQL. */
    public JsonNode page(String query) {
        JsonNode answer = client.post(url() + "/graphql", Map.of("query", query));
        assertThat(answer.path("errors").toString()).isEmpty();
        return answer.path("data");
    }
}
