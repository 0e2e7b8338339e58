package dev.rlm.sinks.otel;

import dev.rlm.sinks.event.RunInfo;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** What a run's measurements are labelled with: made once a run, since each step is measured three times. On the lane only. */
final class RunLabels {
    static final AttributeKey<String> ENVIRONMENT = AttributeKey.stringKey("environment");
    static final AttributeKey<Boolean> SUCCESS = AttributeKey.booleanKey("success");

    private static final AttributeKey<String> MODEL = AttributeKey.stringKey("model");
    private static final AttributeKey<String> RUN_ID = AttributeKey.stringKey("run_id");

    private final RunInfo run;
    private final Attributes environment;
    private final Attributes environmentAndModel;
    private final Attributes succeeded;
    private @Nullable Attributes failed; // many runs may be open, and in few of them something fails
    private @Nullable Attributes runId;

    RunLabels(RunInfo run) {
        this.run = run;
        String name = ContentCapture.name(run.environment());
        environment = Attributes.of(ENVIRONMENT, name);
        environmentAndModel = Attributes.of(ENVIRONMENT, name, MODEL, ContentCapture.name(run.model()));
        succeeded = how(true);
    }

    Attributes environment() {
        return environment;
    }

    Attributes environmentAndModel() {
        return environmentAndModel;
    }

    /** Environment, model and how something went. */
    Attributes outcome(boolean success) {
        return success ? succeeded : failed();
    }

    private Attributes failed() {
        Attributes known = failed == null ? how(false) : failed;
        failed = known;
        return known;
    }

    private Attributes how(boolean success) {
        return environmentAndModel.toBuilder().put(SUCCESS, success).build();
    }

    /** Environment and the run's id, or what stands in its place, which is asked for once. */
    Attributes runId(UnaryOperator<String> label) {
        Attributes known = runId;
        if (known == null) {
            known = environment.toBuilder()
                    .put(RUN_ID, label.apply(run.runId()))
                    .build();
            runId = known;
        }
        return known;
    }
}
