package dev.rlm.sinks.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Messages of parts, and the simple form of some of them. */
class MessageTest {
    private static final Content TEXT = Content.redacted("words");
    private static final MessagePart IMAGE = MessagePartBuilder.builder()
            .type(MessagePart.Type.IMAGE)
            .uri("file:///1.png")
            .build();

    private static MessagePart part(MessagePart.Type type, String content, @Nullable String id) {
        return new MessagePart(type, Content.redacted(content), id, "calc", null, null, null);
    }

    private static Message of(MessagePart... parts) {
        return new Message("user", Content.EMPTY, List.of(), null, List.of(parts));
    }

    @Test
    void partsThatTheSimpleFormSays_areThatForm() {
        Message message = of(part(MessagePart.Type.TEXT, "words", null), part(MessagePart.Type.TOOL_CALL, "{}", "c1"));
        assertThat(message)
                .isEqualTo(new Message(
                        "user", TEXT, List.of(new Message.ToolRequest("c1", "calc", Content.redacted("{}"))), null));
        assertThat(of(part(MessagePart.Type.TOOL_RESULT, "words", "c1")))
                .isEqualTo(new Message("user", TEXT, List.of(), "c1"));
        assertThat(of()).isEqualTo(new Message("user", Content.EMPTY, List.of(), null));
    }

    @Test
    void resultOfNoKnownCall_staysAPart() {
        assertThat(of(part(MessagePart.Type.TOOL_RESULT, "words", null)).parts())
                .hasSize(1);
    }

    @Test
    void texts_areTheContentToo() {
        Message message = of(part(MessagePart.Type.TEXT, "one", null), IMAGE, part(MessagePart.Type.TEXT, "two", null));
        assertThat(message.content()).hasToString("one\ntwo");
        assertThat(message.parts()).hasSize(3);
        assertThat(of(part(MessagePart.Type.REASONING, "hm", null), part(MessagePart.Type.TEXT, "one", null))
                        .content())
                .hasToString("one");
    }

    @Test
    void whatNoPartSays_isAddedToThem() {
        List<Message.ToolRequest> calls = List.of(new Message.ToolRequest("c1", "calc", TEXT));
        assertThat(new Message("assistant", TEXT, calls, null, List.of(IMAGE)).parts())
                .extracting(MessagePart::type)
                .containsExactly(MessagePart.Type.TEXT, MessagePart.Type.IMAGE, MessagePart.Type.TOOL_CALL);
        assertThat(new Message("tool", TEXT, List.of(), "c1", List.of(IMAGE)).parts())
                .extracting(MessagePart::type)
                .containsExactly(MessagePart.Type.TOOL_RESULT, MessagePart.Type.IMAGE);
    }

    @Test
    @SuppressWarnings("NullAway") // it is what is tested
    void partOfNoType_isRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new MessagePart(null, TEXT, null, null, null, null, null))
                .withMessage("type must be given");
    }
}
