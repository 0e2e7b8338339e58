package dev.rlm.sinks;

import dev.rlm.sinks.event.TokenTrace;
import dev.rlm.sinks.event.Usage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The shared handle of all model calls that nobody hears of. */
final class NoModelCall implements ModelCall {
    static final ModelCall INSTANCE = new NoModelCall();

    private NoModelCall() {}

    @Override
    public ModelCall server(String address, int port) {
        return this;
    }

    @Override
    public ModelCall parameter(String name, Object value) {
        return this;
    }

    @Override
    public ModelCall systemInstructions(String text) {
        return this;
    }

    @Override
    public ModelCall toolDefinitions(String json) {
        return this;
    }

    @Override
    public ModelCall message(String role, String text) {
        return this;
    }

    @Override
    public ModelCall messageParts(String role, Consumer<MessageParts> parts) {
        return this;
    }

    @Override
    public ModelCall shownToolRequest(String id, String tool, String arguments) {
        return this;
    }

    @Override
    public ModelCall toolMessage(String toolCallId, String text) {
        return this;
    }

    @Override
    public void firstToken() {}

    @Override
    public ModelCall reply(String text) {
        return this;
    }

    @Override
    public ModelCall replyParts(Consumer<MessageParts> parts) {
        return this;
    }

    @Override
    public ModelCall toolRequest(String id, String tool, String arguments) {
        return this;
    }

    @Override
    public ModelCall response(@Nullable String id, @Nullable String model) {
        return this;
    }

    @Override
    public ModelCall usage(Usage usage) {
        return this;
    }

    @Override
    public ModelCall cost(double amount, String currency) {
        return this;
    }

    @Override
    public ModelCall tokens(TokenTrace tokens) {
        return this;
    }

    @Override
    public ModelCall finishReason(String reason) {
        return this;
    }

    @Override
    public ModelCall retries(int count) {
        return this;
    }

    @Override
    public void fail(String error) {}

    @Override
    public void close() {}
}
