package dev.rlm.sinks.event;

import io.soabase.recordbuilder.core.RecordBuilder;
import org.jspecify.annotations.Nullable;

/**
 * A part of a {@link Message} that is more than one text. Images, audio and files are told by reference.
 *
 * @param content the text, the thought, the arguments of a tool call or its result; {@code null} in all others
 * @param id that of the tool call, in a call and in its result
 * @param tool the tool that is called
 * @param uri where an image, an audio or a file lies
 * @param mediaType of what lies there, such as {@code image/png}
 * @param sha256 of its bytes, as 64 hexadecimal digits
 */
@RecordBuilder
public record MessagePart(
        @Recorded(required = true) Type type,
        @Nullable Content content,
        @Recorded(id = true) @Nullable String id,
        @Nullable String tool,
        @Nullable String uri,
        @Nullable String mediaType,
        @Nullable String sha256) {
    /** Kinds of parts. */
    public enum Type {
        /** Words. */
        TEXT,
        /** A model's thoughts before it spoke. */
        REASONING,
        /** A call that the assistant asks for. */
        TOOL_CALL,
        /** The result of such a call. */
        TOOL_RESULT,
        /** A picture. */
        IMAGE,
        /** A recording. */
        AUDIO,
        /** Any other file. */
        FILE;

        /** Returns whether it is told by reference. */
        public boolean isMedia() {
            return this == IMAGE || this == AUDIO || this == FILE;
        }
    }

    public MessagePart {
        if (type == null) {
            throw new IllegalArgumentException("type must be given");
        }
    }

    /** Returns whether its text is a part of the message's. */
    public boolean isText() {
        return type == Type.TEXT || type == Type.TOOL_RESULT;
    }

    /** The text that it holds; empty where it holds none. */
    public Content text() {
        return Checks.orEmpty(content);
    }
}
