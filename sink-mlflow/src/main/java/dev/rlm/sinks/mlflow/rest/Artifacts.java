package dev.rlm.sinks.mlflow.rest;

import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/** Files that are kept with runs. */
public final class Artifacts {
    private static final String SERVED = "mlflow-artifacts:";
    private static final String TYPE = "application/octet-stream";

    private Artifacts() {}

    /** Keeps the bytes with the run, by the way that its artifacts go. */
    public static Answer put(TrackingServer server, FoundRun run, String name, byte[] bytes) {
        if (run.artifacts().startsWith(SERVED)) {
            String path = URI.create(run.artifacts()).getRawPath();
            return server.send(Request.put("/api/2.0/mlflow-artifacts/artifacts" + path + "/" + name, TYPE, bytes));
        }
        String query = "?run_uuid=" + run.id() + "&path=" + URLEncoder.encode(name, StandardCharsets.UTF_8);
        return server.send(Request.post("/ajax-api/2.0/mlflow/upload-artifact" + query, TYPE, bytes));
    }
}
