package dev.rlm.sinks;

import dev.rlm.sinks.event.TokenTrace;
import dev.rlm.sinks.event.Usage;
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
    /** Returns the shared call that records nothing. */
    static ModelCall noop() {
        return NoModelCall.INSTANCE;
    }

    /** Names the server that is asked; a port of 0 stands for an unknown one. */
    ModelCall server(String address, int port);

    /** A parameter of the request, such as {@code temperature}. */
    ModelCall parameter(String name, Object value);

    /** Notes the system instructions, which stand apart from the messages. */
    ModelCall systemInstructions(String text);

    /** The tools that the model is offered, as a JSON array. */
    ModelCall toolDefinitions(String json);

    /** A message that the model is shown; in order. */
    ModelCall message(String role, String text);

    /** A message that is more than one text. */
    ModelCall messageParts(String role, Consumer<MessageParts> parts);

    /** A call that the assistant asked for in the message given last; in order. */
    ModelCall shownToolRequest(String id, String tool, String arguments);

    /** The answer of a tool that the model is shown. */
    ModelCall toolMessage(String toolCallId, String text);

    /** The first token has come. */
    void firstToken();

    /** Notes the reply's text. */
    ModelCall reply(String text);

    /** A reply that is more than one text, in the place of {@link #reply(String)}. */
    ModelCall replyParts(Consumer<MessageParts> parts);

    /** A call that the model asks for; in order. */
    ModelCall toolRequest(String id, String tool, String arguments);

    /** The provider's id of the reply, and the model that answered as it names that; {@code null} where it did not say. */
    ModelCall response(@Nullable String id, @Nullable String model);

    /** Notes the number of tokens. */
    ModelCall usage(Usage usage);

    /** Notes the cost of the call, in a currency such as {@code USD}. */
    ModelCall cost(double amount, String currency);

    /** The tokens themselves, where the server gives them. */
    ModelCall tokens(TokenTrace tokens);

    /** Notes the reason for which the model stopped, in the provider's words. */
    ModelCall finishReason(String reason);

    /** Notes the number of times that the request was sent again. */
    ModelCall retries(int count);

    /** The call failed. */
    void fail(String error);

    @Override
    void close();
}
