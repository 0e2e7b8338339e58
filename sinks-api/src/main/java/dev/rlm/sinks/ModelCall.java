package dev.rlm.sinks;

import dev.rlm.sinks.event.TokenTrace;
import dev.rlm.sinks.event.Usage;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Records one call of a model, from {@link Step#startModelCall} to {@link #close}, which emits it. Safe for use by several
 * threads; no method throws. What is said of it after that is counted as dropped.
 *
 * <p>It may outlast its step, but not its run, whose end emits it as it is then: as failed, also where it had gone well so
 * far. To close it after that, or to say that it failed, is no loss.
 */
public interface ModelCall extends AutoCloseable {
    /** The shared call that records nothing. */
    ModelCall NOOP = new ModelCall() {};

    /** Names the server that is asked; a port of 0 stands for an unknown one. */
    default ModelCall server(String address, int port) {
        return this;
    }

    /** A parameter of the request, such as {@code temperature}. */
    default ModelCall parameter(String name, Object value) {
        return this;
    }

    /** Notes the system instructions, which stand apart from the messages. */
    default ModelCall systemInstructions(String text) {
        return this;
    }

    /** The tools that the model is offered, as a JSON array. */
    default ModelCall toolDefinitions(String json) {
        return this;
    }

    /** A message that the model is shown; in order. A role that is blank is recorded as {@code unknown}. */
    default ModelCall message(String role, String text) {
        return this;
    }

    /** A message that is more than one text. */
    default ModelCall messageParts(String role, Consumer<MessageParts> parts) {
        return this;
    }

    /** A call that the assistant asked for in the message given last; in order. */
    default ModelCall shownToolRequest(String id, String tool, String arguments) {
        return this;
    }

    /** The answer of a tool that the model is shown. */
    default ModelCall toolMessage(String toolCallId, String text) {
        return this;
    }

    /** The first token has come. */
    default void firstToken() {}

    /** Notes the reply's text. */
    default ModelCall reply(String text) {
        return this;
    }

    /** A reply that is more than one text, in the place of {@link #reply(String)}. */
    default ModelCall replyParts(Consumer<MessageParts> parts) {
        return this;
    }

    /** A call that the model asks for; in order. */
    default ModelCall toolRequest(String id, String tool, String arguments) {
        return this;
    }

    /** The provider's id of the reply, and the model that answered as it names that; {@code null} where it did not say. */
    default ModelCall response(@Nullable String id, @Nullable String model) {
        return this;
    }

    /** Notes the number of tokens. */
    default ModelCall usage(Usage usage) {
        return this;
    }

    /** Notes the cost of the call, in a currency such as {@code USD}. */
    default ModelCall cost(double amount, String currency) {
        return this;
    }

    /** The tokens themselves, where the server gives them. */
    default ModelCall tokens(TokenTrace tokens) {
        return this;
    }

    /** The same with the texts of the reply's tokens, in order. */
    default ModelCall tokens(TokenTrace tokens, List<String> responseTexts) {
        return this;
    }

    /** Notes the reason for which the model stopped, in the provider's words. */
    default ModelCall finishReason(String reason) {
        return this;
    }

    /** Notes the number of times that the request was sent again. */
    default ModelCall retries(int count) {
        return this;
    }

    /** The call failed. */
    default void fail(String error) {}

    /** The call failed by what was thrown. */
    default void fail(Throwable error) {
        fail(String.valueOf(error));
    }

    @Override
    default void close() {}
}
