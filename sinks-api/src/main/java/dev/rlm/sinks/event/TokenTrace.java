package dev.rlm.sinks.event;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The tokens of a model call as the server saw them, for training without tokenizing again.
 *
 * @param promptIds of the prompt
 * @param responseIds of the reply
 * @param logProbabilities natural logarithms, one for each of the reply's tokens
 * @param weightsVersion which weights answered; {@code null} where the server did not say
 */
@RecordBuilder
public record TokenTrace(
        List<Integer> promptIds,
        List<Integer> responseIds,
        List<Double> logProbabilities,
        @Recorded(id = true) @Nullable String weightsVersion) {
    public TokenTrace {
        promptIds = Checks.orEmpty(promptIds);
        responseIds = Checks.orEmpty(responseIds);
        logProbabilities = Checks.orEmpty(logProbabilities);
    }
}
