package dev.rlm.sinks.jsonl;

import dev.rlm.sinks.Sink;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkProvider;
import java.util.List;
import java.util.Locale;

/** Makes the journal's sink from {@code RLM_JSONL_DIR} and {@code RLM_JSONL_FSYNC}. It is used where nothing is said. */
public final class JsonlSinkProvider implements SinkProvider {
    @Override
    public String name() {
        return "jsonl";
    }

    @Override
    public String description() {
        return "a durable journal in files of one JSON object a line";
    }

    @Override
    public boolean isEnabledByDefault() {
        return true;
    }

    @Override
    public boolean isDurable() {
        return true;
    }

    @Override
    public List<Variable> variables() {
        return List.of(
                new Variable(JsonlSink.DIR_VARIABLE, JsonlSink.DEFAULT_DIR, "folder of the journal"),
                new Variable(
                        "RLM_JSONL_FSYNC",
                        Fsync.BATCH.label(),
                        "when to sync to disk: " + String.join(", ", Fsync.labels())));
    }

    @Override
    public Sink create(SinkConfig config) {
        String fsync = config.choice("FSYNC", Fsync.BATCH.label(), Fsync.labels());
        return JsonlSink.builder()
                .directory(Journal.configured(config))
                .fsync(Fsync.valueOf(fsync.toUpperCase(Locale.ROOT)))
                .build();
    }
}
