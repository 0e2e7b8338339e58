package dev.rlm.sinks.mlflow;

import dev.rlm.sinks.Sink;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkProvider;
import java.util.ArrayList;
import java.util.List;

/** Makes the sink {@code mlflow} from the configuration. */
public final class MlflowSinkProvider implements SinkProvider {
    static final String NAME = "mlflow";

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public String description() {
        return "traces, rewards and metrics in MLflow";
    }

    @Override
    public List<Variable> variables() {
        List<Variable> variables = new ArrayList<>(MlflowSettings.VARIABLES);
        variables.add(new Variable(
                "RLM_METRIC_LABELS",
                "the usual ones",
                "labels of numbers of training, in reports too: loss=Loss,sps=Steps per second"));
        variables.add(new Variable("RLM_CAPTURE_CONTENT", "preview", "text on traces: none, hash, preview, full"));
        variables.add(
                new Variable("RLM_MLFLOW_CAPTURE_CONTENT", "that of RLM_CAPTURE_CONTENT", "text that this sink sends"));
        variables.add(new Variable(
                "RLM_BAGGAGE_ATTRIBUTES",
                "",
                "keys of baggage, such as user.id,tenant: these entries of a run's parent are attributes"
                        + " of its spans"));
        return variables;
    }

    @Override
    public Sink create(SinkConfig config) {
        return MlflowSink.builder().config(config).build();
    }
}
