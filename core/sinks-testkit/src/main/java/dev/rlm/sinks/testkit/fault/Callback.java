package dev.rlm.sinks.testkit.fault;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** The places in which a sink, or its provider, is called. */
public enum Callback {
    /** {@link dev.rlm.sinks.SinkProvider#create}. */
    CREATE,
    ON_EVENT,
    ON_BATCH_END,
    FLUSH,
    BEGIN_CLOSE,
    CLOSE,
    STATUS,
    CHECK,
    ACKNOWLEDGED,
    ACCEPTS,
    IS_DURABLE,
    PATIENCE,
    RECORD_PATH,
    LOCATION,
    TRACE_CONTEXT,
    OPEN_SCOPE;

    /** As variables name it: {@code on_event}. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The labels of all. */
    public static List<String> labels() {
        return Arrays.stream(values()).map(Callback::label).toList();
    }
}
