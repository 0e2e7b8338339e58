package dev.rlm.sinks.otel.backend;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/** A real MLflow tracking server ({@code MLFLOW_BIN}), which keeps its traces in a SQLite file. */
public final class MlflowServer extends Backend {
    private static final Port HTTP = new Port("HTTP", 5000);
    private static final int PAGE = 500;

    private final JsonClient client = new JsonClient();

    private MlflowServer(int workers, String artifacts) {
        super(new Program(
                "MLflow",
                "MLFLOW_BIN",
                Program.NO_IMAGE,
                List.of(HTTP),
                "/health",
                200,
                Map.of(),
                Map.of(
                        "MLFLOW_DISABLE_TELEMETRY", "true",
                        "MLFLOW_SERVER_ENABLE_JOB_EXECUTION", "false",
                        "MLFLOW_MODEL_CATALOG_URI",
                                ""), // else it asks the world for the prices of models, while we wait
                place -> arguments(place, workers, artifacts)));
    }

    /** An MLflow to be started by JUnit. */
    public static MlflowServer create() {
        return create(1);
    }

    /** One with so many processes that answer: a few do more at once, and take longer to start. */
    public static MlflowServer create(int workers) {
        return new MlflowServer(workers, "--default-artifact-root");
    }

    /** One that takes the artifacts of runs itself, as it does unless it is told where clients may write. */
    public static MlflowServer servingArtifacts() {
        return new MlflowServer(1, "--artifacts-destination");
    }

    /** Starts an MLflow and returns when it is ready. */
    public static MlflowServer start() throws IOException {
        MlflowServer mlflow = create();
        mlflow.open();
        return mlflow;
    }

    private static List<String> arguments(BackendAddress place, int workers, String artifacts) {
        return List.of(
                "server",
                "--host",
                place.address(),
                "--port",
                Integer.toString(place.port(HTTP)),
                "--backend-store-uri",
                "sqlite:///" + place.file("mlflow.db"),
                artifacts,
                place.file("artifacts"),
                "--workers",
                Integer.toString(workers));
    }

    /** The value for {@code MLFLOW_TRACKING_URI}. */
    public String url() {
        return url(HTTP);
    }

    /** What it answers to a question, such as {@code /api/2.0/mlflow/runs/get}. */
    public JsonNode ask(String path, Map<String, ?> query) {
        return client.get(url(HTTP) + path + JsonClient.query(query));
    }

    /** What it answers to a question that is asked with JSON, such as {@code /api/2.0/mlflow/runs/search}. */
    public JsonNode search(String path, Map<String, ?> query) {
        return client.post(url(HTTP) + path, query);
    }

    /** A file that is kept with a run. */
    public String artifact(String runId, String path) {
        return client.file(url(HTTP) + "/get-artifact" + JsonClient.query(Map.of("run_uuid", runId, "path", path)));
    }

    /** The value for {@code OTEL_EXPORTER_OTLP_TRACES_ENDPOINT}, for {@code http/protobuf}. */
    public String tracesEndpoint() {
        return url(HTTP) + "/v1/traces";
    }

    /** The value for {@code OTEL_EXPORTER_OTLP_HEADERS} that says to which experiment traces belong. */
    public static String header(String experimentId) {
        return "x-mlflow-experiment-id=" + experimentId;
    }

    /** Makes an experiment and returns its id. */
    public String createExperiment(String name) {
        return client.post(url(HTTP) + "/api/2.0/mlflow/experiments/create", Map.of("name", name))
                .path("experiment_id")
                .asString();
    }

    /** The traces of an experiment, the latest first, as its page lists them. */
    public List<MlflowTrace> traces(String experimentId) {
        return traces(experimentId, "");
    }

    /** The traces of an experiment that a filter lets through, such as {@code trace.status = 'ERROR'}. */
    public List<MlflowTrace> traces(String experimentId, String filter) {
        Map<String, Object> place =
                Map.of("type", "MLFLOW_EXPERIMENT", "mlflow_experiment", Map.of("experiment_id", experimentId));
        return client.post(
                        url(HTTP) + "/api/3.0/mlflow/traces/search",
                        Map.of("locations", List.of(place), "filter", filter, "max_results", PAGE))
                .path("traces")
                .valueStream()
                .map(MlflowTrace::of)
                .toList();
    }

    /** Waits until an experiment has at least so many traces that have ended, and returns all of its traces. */
    public List<MlflowTrace> awaitEnded(String experimentId, int count) {
        return await().until(
                        () -> traces(experimentId),
                        found -> found.stream().filter(MlflowTrace::hasEnded).count() >= count);
    }

    /** The spans of a trace. */
    public List<MlflowSpan> spans(String traceId) {
        JsonNode found = client.get(url(HTTP) + "/ajax-api/3.0/mlflow/get-trace-artifact"
                + JsonClient.query(Map.of("request_id", MlflowTrace.ID_PREFIX + traceId)));
        return found.path("spans").valueStream().map(MlflowSpan::of).toList();
    }
}
