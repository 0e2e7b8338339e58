package dev.rlm.cli.recorded;

import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.SpanRecorded;
import dev.rlm.sinks.event.ToolCalled;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Calls of a run that are the agent's own. Those of judges are not, which lie in the computation of a reward, nor those
 * that lie in what is not known; a span around a call says nothing of whose it is.
 */
public final class OwnCalls {
    private final Map<Long, Long> spans = new HashMap<>(); // the number of what each lies in

    /** Those of the run whose events these are. */
    public OwnCalls(List<RunEvent> events) {
        events.forEach(event -> {
            if (event instanceof SpanRecorded span) {
                spans.put(span.seq(), span.parentSeq());
            }
        });
    }

    /** Returns those of a kind, in their order; calls of models that were not answered are none. */
    public <T extends RunEvent> List<T> of(Class<T> kind, List<RunEvent> events) {
        return events.stream()
                .filter(this::has)
                .filter(kind::isInstance)
                .map(kind::cast)
                .toList();
    }

    /** Returns whether the event is an own call of the agent: of a tool, or of a model that answered. */
    public boolean has(RunEvent event) {
        if (event instanceof ModelCalled call) {
            return call.reply() != null && isOutermost(call.parentSeq());
        }
        return event instanceof ToolCalled tool && isOutermost(tool.parentSeq());
    }

    /** Returns whether only spans lie around it, each with a lower number than what lies in it. */
    private boolean isOutermost(long parentSeq) {
        long around = parentSeq;
        while (around != 0) {
            Long outer = spans.get(around);
            if (outer == null || outer >= around) {
                return false;
            }
            around = outer;
        }
        return true;
    }
}
