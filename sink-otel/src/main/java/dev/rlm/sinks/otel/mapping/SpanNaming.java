package dev.rlm.sinks.otel.mapping;

import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.StepEnded;
import io.opentelemetry.api.trace.Span;
import java.util.HashSet;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Names the spans of runs and steps by what was done, where {@link SpanNames#SEMANTIC} is chosen. Names of actions and tools may come from a model: each is cut to its first word and to 64 characters, and of
 * the names of steps the first 100 are used; what comes beyond keeps the usual one. On the lane only.
 */
final class SpanNaming {
    private static final int MOST_STEP_NAMES = 100;
    private static final int MOST_CHARACTERS = 64;
    private static final Pattern WORD = Pattern.compile("[\\p{L}\\p{N}_.:/-]{1," + MOST_CHARACTERS + "}");

    private final Set<String> steps = new HashSet<>();

    void run(Span span, RunInfo run) {
        String agent = run.agent() == null ? run.environment() : run.agent();
        span.updateName(TextLimits.name(GenAi.INVOKE_AGENT + " " + agent));
    }

    /** Names a step when it ends: what it did is not known before. */
    void step(Span span, StepEnded step, @Nullable String tool) {
        String name = name(word(step.actionType()), tool == null ? "" : word(tool));
        if (!name.isEmpty() && (steps.contains(name) || steps.size() < MOST_STEP_NAMES)) {
            steps.add(name);
            span.updateName(name);
        }
    }

    /** An action is often named as the tool that it calls. */
    private static String name(String action, String tool) {
        return action.isEmpty() || action.equals(tool) ? tool : tool.isEmpty() ? action : action + " " + tool;
    }

    private static String word(String text) {
        var found = WORD.matcher(text);
        return found.find() ? found.group() : "";
    }
}
