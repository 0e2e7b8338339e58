// 1 2 3 4: dev.rlm:sink-otel
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Span;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.event.TraceContext;
import dev.rlm.sinks.otel.OtelSink;
import java.net.URI;
import java.util.Map;

class Page {
    Sinks sinks;
    Step step = Step.NOOP;
    URI langfuse;
    String key;
    Map<String, String> headers;

    void answer(Span request) {}
}
