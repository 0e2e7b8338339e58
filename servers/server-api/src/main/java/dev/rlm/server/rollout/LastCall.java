package dev.rlm.server.rollout;

import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Message;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.TokenTrace;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The last call that was answered of a conversation.
 *
 * @param runId with {@code seq} its place in the journal
 * @param length about how many characters it holds
 * @param whole {@code null} where memory has no room for it
 */
record LastCall(
        String runId,
        long seq,
        String model,
        long length,
        @Nullable ModelCalled whole) {
    private static final int TOKEN_SIZE = 12; // of an id or a probability, in characters

    static LastCall of(ModelCalled call) {
        long said = Stream.concat(call.messages().stream(), Stream.ofNullable(call.reply()))
                .mapToLong(LastCall::length)
                .sum();
        long told = Stream.of(call.systemInstructions(), call.toolDefinitions())
                .filter(Objects::nonNull)
                .mapToLong(Content::length)
                .sum();
        TokenTrace tokens = call.tokens();
        long ids = tokens == null
                ? 0
                : tokens.promptIds().size()
                        + tokens.responseIds().size()
                        + tokens.logProbabilities().size();
        return new LastCall(call.run().runId(), call.seq(), call.model(), said + told + TOKEN_SIZE * ids, call);
    }

    private static long length(Message message) {
        return message.content().length()
                + message.parts().stream()
                        .mapToLong(part -> part.text().length())
                        .sum()
                + message.toolCalls().stream()
                        .mapToLong(asked -> asked.arguments().length())
                        .sum();
    }

    /** Returns what is to be kept where it can be read from the journal. */
    LastCall withoutTexts() {
        return new LastCall(runId, seq, model, 0, null);
    }
}
