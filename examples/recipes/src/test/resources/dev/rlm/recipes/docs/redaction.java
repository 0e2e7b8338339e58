// 1: dev.rlm:sinks-api
import dev.rlm.sinks.Findings;
import dev.rlm.sinks.Redactor;

class Page {
}
