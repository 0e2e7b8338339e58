package dev.rlm.runs.report.figures;

import dev.rlm.journal.RunState;
import dev.rlm.journal.RunSummary;
import dev.rlm.journal.index.EventRow;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Part of the system that a run failed in: the first whose words are in the name of its error, else that of its last call where that failed. */
enum Layer {
    /** The sandbox of the agent's code. */
    SANDBOX("sandbox|container|docker|podman|bubblewrap"),
    /** The server that answers calls of models or does rollouts. */
    MODEL_SERVER(
            "^chatexception|ratelimit|^api(status|connection|timeout)?error|internalserver|serviceunavailable|badgateway"
                    + "|overloaded|contextwindow|contextlength|inference|modelserver|remoterollout"),
    TOOL("tool|mcp"),
    /** The data set, or a sample of it. */
    DATA("dataset|samplenotfound"),
    /** The runner of the episodes, a trainer's workers included. */
    FRAMEWORK("setupexception|replaystopped|workercrashed|workerdied|actordied|actorunavailable|^raytask|^raysystem"),
    /** The user's agent, environment, policy or reward. It is taken if nothing points to another layer. */
    USER_FUNCTION("(?!)");

    private final Pattern words; // in the error's name without its package, in small letters

    Layer(String words) {
        this.words = Pattern.compile(words);
    }

    /** Returns that of a run; {@code null} where it has not failed. */
    static @Nullable Layer of(RunSummary run) {
        if (run.state() != RunState.FAILED) {
            return null;
        }
        String error = run.failure();
        String name = error == null
                ? ""
                : error.substring(Math.max(error.lastIndexOf('.'), error.lastIndexOf('$')) + 1)
                        .toLowerCase(Locale.ROOT);
        return Stream.of(values())
                .filter(layer -> layer.words.matcher(name).find())
                .findFirst()
                .orElseGet(() -> ofLastCall(run));
    }

    private static Layer ofLastCall(RunSummary run) {
        Layer layer = USER_FUNCTION;
        for (EventRow row : run.eventRows()) {
            if (row instanceof EventRow.ModelCall call) {
                layer = call.failed() ? MODEL_SERVER : USER_FUNCTION;
            } else if (row instanceof EventRow.ToolCall call) {
                layer = call.failed() ? TOOL : USER_FUNCTION;
            }
        }
        return layer;
    }

    /** Returns it as records name it: {@code model_server}. */
    String field() {
        return name().toLowerCase(Locale.ROOT);
    }
}
