package dev.rlm.cli.rollout;

import dev.rlm.sinks.event.ModelCalled;
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
    static LastCall of(ModelCalled call) {
        long length = Stream.concat(call.messages().stream(), Stream.ofNullable(call.reply()))
                .mapToLong(message -> message.content().length())
                .sum();
        return new LastCall(call.run().runId(), call.seq(), call.model(), length, call);
    }

    /** Returns what is to be kept where it can be read from the journal. */
    LastCall withoutTexts() {
        return new LastCall(runId, seq, model, 0, null);
    }
}
