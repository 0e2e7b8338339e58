package dev.rlm.sinks.event;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A model was called.
 *
 * @param nanos when the last of the reply had come
 * @param startNanos when the request was sent
 * @param parentSeq the number of the event whose span it lies in, such as a reward's whose judge was called; 0 for the
 *     step, or the run where there is no step
 * @param firstTokenNanos when the first token came; {@code null} where the reply came whole
 * @param provider as the GenAI semantic conventions name it ({@code gen_ai.provider.name})
 * @param model the model that was asked
 * @param responseId the id that the provider gave the reply; {@code null} where it gave none
 * @param responseModel the model that answered, as the provider names it; {@code null} where it did not say
 * @param serverAddress host of the server that was asked; {@code null} where that is not known
 * @param serverPort its port; 0 where that is not known
 * @param parameters of the request, such as temperature
 * @param systemInstructions what the model was told apart from the messages; {@code null} where nothing
 * @param toolDefinitions the tools that it was offered, as a JSON array; {@code null} if there were none
 * @param messages what the model was shown
 * @param reply what it said; {@code null} where the call failed
 * @param costAmount the call's cost, as the provider or the caller says; {@code null} if it was not given
 * @param costCurrency of that amount, as ISO 4217 names it; {@code null} if no cost was given
 * @param tokens token ids and log probabilities; {@code null} where the server gave none
 * @param finishReason why it stopped, in the provider's words; {@code null} where it did not say
 * @param retries how often the request was sent again
 * @param error why the call failed; {@code null} where it did not
 * @param originalSpan span of another program that it was made of; {@code null} where it was not
 */
@RecordBuilder
public record ModelCalled(
        RunInfo run,
        long seq,
        long nanos,
        @Recorded(absent = "0", min = 0) int step,
        long startNanos,
        @Recorded(absent = "0", min = 0) long parentSeq,
        @Nullable Long firstTokenNanos,
        @Recorded(standard = "unknown") String provider,
        @Recorded(name = "request_model") String model,
        @Recorded(id = true, since = 2) @Nullable String responseId,
        @Recorded(since = 2) @Nullable String responseModel,
        @Recorded(since = 2) @Nullable String serverAddress,
        @Recorded(absent = "0", min = 0, since = 2) int serverPort,
        Map<String, Object> parameters,
        @Recorded(since = 2) @Nullable Content systemInstructions,
        @Recorded(since = 2) @Nullable Content toolDefinitions,
        List<Message> messages,
        @Nullable Message reply,
        Usage usage,
        @Recorded(since = 2) @Nullable Double costAmount,
        @Recorded(since = 2) @Nullable String costCurrency,
        @Nullable TokenTrace tokens,
        @Nullable String finishReason,
        @Recorded(standard = "0", min = 0) int retries,
        @Nullable Content error,
        @Recorded(since = 3) @Nullable OriginalSpan originalSpan)
        implements RunEvent {
    public ModelCalled {
        usage = usage == null ? Usage.UNKNOWN : usage;
        Checks.atLeast(1, seq, "seq");
        Checks.atLeast(0, step, "step");
        Checks.atLeast(0, retries, "retries");
        Checks.atLeast(0, serverPort, "serverPort");
        provider = Checks.orEmpty(provider);
        model = Checks.orEmpty(model);
        parameters = JsonValues.copy(parameters);
        messages = Checks.orEmpty(messages);
    }

    @Override
    public EventType type() {
        return EventType.MODEL_CALLED;
    }

    /** Returns the duration of the call. */
    public Duration duration() {
        return Duration.ofNanos(nanos - startNanos);
    }
}
