package dev.rlm.sinks.event;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The tokens of a model call as the server saw them, for training without tokenizing again.
 *
 * @param promptIds of the prompt
 * @param responseIds of the reply
 * @param logProbabilities natural logarithms, one for each of the reply's tokens
 * @param weightsVersion which weights answered; {@code null} where the server did not say
 * @param responseText texts of the reply's tokens, joined, so that a secret is found that lies in several of them
 * @param responseLengths their lengths in UTF-16 units before redaction
 */
@RecordBuilder
public record TokenTrace(
        List<Integer> promptIds,
        List<Integer> responseIds,
        List<Double> logProbabilities,
        @Recorded(id = true) @Nullable String weightsVersion,
        @Recorded(since = 2) @Nullable Content responseText,
        @Recorded(since = 2) List<Integer> responseLengths) {
    public TokenTrace {
        promptIds = Checks.orEmpty(promptIds);
        responseIds = Checks.orEmpty(responseIds);
        logProbabilities = Checks.orEmpty(logProbabilities);
        responseLengths = Checks.orEmpty(responseLengths);
    }

    /** Tokens without their texts. */
    public TokenTrace(
            List<Integer> promptIds,
            List<Integer> responseIds,
            List<Double> logProbabilities,
            @Nullable String weightsVersion) {
        this(promptIds, responseIds, logProbabilities, weightsVersion, null, List.of());
    }

    /** Returns the texts of the reply's tokens; none where they are unknown, or something in them was redacted or cut. */
    public List<String> responseTexts() {
        String whole = responseText == null || responseText.isRedacted() ? "" : responseText.text();
        List<String> texts = new ArrayList<>();
        int end = 0;
        for (int length : responseLengths) {
            if (length < 0 || length > whole.length() - end) {
                return List.of();
            }
            texts.add(whole.substring(end, end + length));
            end += length;
        }
        return end == whole.length() ? texts : List.of();
    }
}
