// 1 2 3: dev.rlm:sink-otel
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.otel.OtelSink;
import java.net.URI;

class Page {
    Sinks sinks;
    Step step = Step.NOOP;
    URI langfuse;
    String key;
}
