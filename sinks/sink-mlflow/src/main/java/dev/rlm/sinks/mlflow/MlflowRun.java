package dev.rlm.sinks.mlflow;

import dev.rlm.sinks.delivery.DeliveryException;
import dev.rlm.sinks.delivery.Failure;
import dev.rlm.sinks.delivery.Failure.Remedy;
import dev.rlm.sinks.mlflow.rest.CreateRunRequest;
import dev.rlm.sinks.mlflow.rest.Experiment;
import dev.rlm.sinks.mlflow.rest.FoundRun;
import dev.rlm.sinks.mlflow.rest.Metric;
import dev.rlm.sinks.mlflow.rest.MlflowResponse;
import dev.rlm.sinks.mlflow.rest.MlflowRuns;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One of MLflow's runs, found or made when the first of what belongs to it is sent.
 *
 * <p>The lane says how it ends, which any thread may send; all else is for the figures' thread.
 */
final class MlflowRun {
    private static final int MAX_MODELS = 1_000;

    private final MlflowRuns runs;
    private final Experiment experiment;
    private final CreateRunRequest request;
    private final @Nullable String given;
    private final boolean resending;
    private final Consumer<Failure> onUndescribed;
    private final RunEnd end = new RunEnd();
    private final MetricSteps metricSteps = new MetricSteps();
    private final Set<String> models = ConcurrentHashMap.newKeySet();
    private final JobFigures figures = new JobFigures();
    private final EarlierFigures earlier;
    private volatile @Nullable FoundRun known;
    private volatile Map<String, String> params;
    private @Nullable Map<String, String> described;
    private boolean numbered;
    private volatile @Nullable String named; // as it was made

    /**
     * @param given the id of the one to be used, whatever the form says; {@code null} to look for it and to make it
     * @param resending whether what is sent may be there already
     * @param onUndescribed hears why parameters were refused: figures go on without them
     */
    MlflowRun(
            MlflowRuns runs,
            Experiment experiment,
            CreateRunRequest request,
            @Nullable String given,
            boolean resending,
            Consumer<Failure> onUndescribed) {
        this.runs = runs;
        this.experiment = experiment;
        this.request = request;
        this.params = request.params();
        describe(request);
        this.given = given;
        this.resending = resending;
        this.earlier = new EarlierFigures(resending);
        this.onUndescribed = onUndescribed;
    }

    /** Returns the end of the run as far as it is known. */
    RunEnd end() {
        return end;
    }

    /** Takes over the form's parameters unless it has some, and one more model for the run's name. On the lane. */
    void describe(CreateRunRequest next) {
        if (params.isEmpty()) {
            params = next.params();
        }
        if (models.size() < MAX_MODELS && !next.name().model().isEmpty()) {
            models.add(next.name().model());
        }
    }

    /** The steps of its episodes. */
    MetricSteps metricSteps() {
        return metricSteps;
    }

    /** The figures of all its episodes together. On the lane. */
    JobFigures figures() {
        return figures;
    }

    /** Returns the points that tell the job's figures, which go on from those that the run had before. */
    List<Metric> points(JobFigures.Told told) {
        return earlier.points(told);
    }

    /** The run, if it was found or made. */
    @Nullable
    FoundRun known() {
        return known;
    }

    /** The id of the run, which was found or made. */
    String id() {
        return Objects.requireNonNull(known, "the run is there").id();
    }

    /** Finds or makes it, and describes it, as far as that has not been done. */
    FoundRun ensure() throws DeliveryException {
        FoundRun run = known;
        if (run == null) {
            run = given == null ? findOrCreate() : takeUp(runs.get(given));
            known = run;
        }
        Map<String, String> wanted = params;
        if (described != wanted) { // the very same: a run is described once, or twice
            describe(run, wanted);
            described = wanted;
        }
        return run;
    }

    private void describe(FoundRun run, Map<String, String> wanted) throws DeliveryException {
        try {
            runs.describe(run.id(), wanted, run.params());
        } catch (DeliveryException e) {
            if (e.failure().remedy() == Remedy.RETRY || e.failure().isEnd()) {
                throw e;
            }
            onUndescribed.accept(e.failure());
        }
    }

    private FoundRun findOrCreate() throws DeliveryException {
        String in = experiment.id();
        Optional<FoundRun> found = runs.find(in, request.tag(), request.value());
        return found.isPresent() ? takeUp(found.get()) : create(in);
    }

    /** Another process may have made one in the same moment: both then go on with the same, the first by MLflow's order. */
    private FoundRun create(String in) throws DeliveryException {
        String name = request.name().text(models.size());
        FoundRun made = runs.create(in, request, name);
        named = name;
        FoundRun first = runs.find(in, request.tag(), request.value()).orElse(made);
        if (first.id().equals(made.id())) {
            numbered = true; // whatever stands there later is its own
            return made;
        }
        runs.delete(made.id());
        return takeUp(first);
    }

    private FoundRun takeUp(FoundRun found) throws DeliveryException {
        if (!resending && !found.status().equals("RUNNING")) {
            runs.update(found.id(), "RUNNING", null, null).orThrow();
        }
        if (!numbered) {
            for (String key : EpisodeFigures.KEYS) {
                metricSteps.startAfter(step(found, key));
            }
            if (resending) {
                metricSteps.read(runs, found.id());
            }
            earlier.read(found.latest());
            numbered = true;
        }
        return found;
    }

    private static long step(FoundRun run, String key) {
        Metric last = run.latest().get(key);
        return last == null ? 0 : last.step();
    }

    /** Looks for it again, in an experiment that is looked for again: it was deleted. */
    void forget() {
        known = null;
        described = null;
        experiment.forget();
    }

    /** Says how it ended, if it is there and has anything to end. */
    Optional<MlflowResponse> sendEnd() {
        FoundRun run = known;
        if (run == null || !end.isToBeSent(resending ? run.status() : "RUNNING")) {
            return Optional.empty();
        }
        String name = request.name().text(models.size());
        boolean isNew = named != null && !name.equals(named); // further models came; not where it was there before
        return Optional.of(runs.update(run.id(), end.status(), end.time(), isNew ? name : null));
    }
}
