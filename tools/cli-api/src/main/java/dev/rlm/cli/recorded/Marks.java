package dev.rlm.cli.recorded;

import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Message;
import dev.rlm.sinks.event.Message.ToolRequest;
import dev.rlm.sinks.event.MessagePart;
import java.util.List;
import java.util.stream.Stream;

/**
 * In what way texts are not as they were.
 *
 * @param redacted whether something stands in one of them in the place of a secret
 * @param cut whether the middle of one was left out because it was too long
 */
public record Marks(boolean redacted, boolean cut) {
    public static Marks of(Stream<Message> messages) {
        List<Content> texts = messages.flatMap(Marks::texts).toList();
        return new Marks(
                texts.stream().anyMatch(Content::isRedacted), texts.stream().anyMatch(Content::isCut));
    }

    /** Returns all texts of a message. */
    public static Stream<Content> texts(Message message) {
        return Stream.of(
                        Stream.of(message.content()),
                        message.toolCalls().stream().map(ToolRequest::arguments),
                        message.parts().stream().map(MessagePart::text))
                .flatMap(each -> each);
    }

    public boolean isClean() {
        return !redacted && !cut;
    }
}
