package dev.rlm.sinks.mlflow.rest;

import dev.rlm.sinks.delivery.DeliveryException;
import dev.rlm.sinks.delivery.Failure;
import dev.rlm.sinks.delivery.Failure.Remedy;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The experiment that all belongs to, found when it is first asked for, made where there is none, and restored where it was
 * deleted. Safe for use by several threads; one of them asks the server.
 */
public final class Experiment {
    private static final String API = "/api/2.0/mlflow/experiments/";

    private final TrackingServer server;
    private final Search search;
    private volatile @Nullable String id;

    private Experiment(TrackingServer server, Search search) {
        this.server = server;
        this.search = search;
    }

    /** Returns that of the name. */
    public static Experiment named(TrackingServer server, String name) {
        return new Experiment(server, experiment -> experiment.byName(name));
    }

    /** Returns that of the id, which must be there. */
    public static Experiment withId(TrackingServer server, String id) {
        return new Experiment(server, experiment -> experiment.restored(experiment.get("get", "experiment_id", id)));
    }

    /** Returns that which the run is in. */
    public static Experiment ofRun(TrackingServer server, String runId) {
        return new Experiment(
                server,
                experiment -> server.get("/api/2.0/mlflow/runs/get", Map.of("run_id", runId))
                        .orThrow()
                        .text("run", "info", "experiment_id"));
    }

    /** Its id, where it is known already. */
    public Optional<String> known() {
        return Optional.ofNullable(id);
    }

    /** Its id; asks the server where it is not known. */
    public synchronized String id() throws DeliveryException {
        String known = id;
        if (known == null) {
            known = search.find(this);
            if (known.isEmpty()) {
                throw new DeliveryException(
                        Failure.of("export_no_mlflow", "what answers there is no MLflow", Remedy.NONE));
            }
            id = known;
        }
        return known;
    }

    /** Looks for it again when it is next asked for: it may have been deleted. */
    public void forget() {
        id = null;
    }

    private String byName(String name) throws DeliveryException {
        MlflowResponse found = get("get-by-name", "experiment_name", name);
        if (!found.isGone()) {
            return restored(found);
        }
        MlflowResponse made = server.post(API + "create", Map.of("name", name));
        return made.errorCode().equals("RESOURCE_ALREADY_EXISTS") // by somebody else, just now
                ? restored(get("get-by-name", "experiment_name", name))
                : made.orThrow().text("experiment_id");
    }

    private MlflowResponse get(String verb, String by, String value) {
        return server.get(API + verb, Map.of(by, value));
    }

    private String restored(MlflowResponse found) throws DeliveryException {
        String known = found.orThrow().text("experiment", "experiment_id");
        if (found.text("experiment", "lifecycle_stage").equals("deleted")) {
            server.post(API + "restore", Map.of("experiment_id", known)).orThrow();
        }
        return known;
    }

    /** Search for an experiment. */
    @FunctionalInterface
    private interface Search {
        String find(Experiment experiment) throws DeliveryException;
    }
}
