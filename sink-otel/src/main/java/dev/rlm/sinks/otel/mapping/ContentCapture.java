package dev.rlm.sinks.otel.mapping;

import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.event.Content;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Amount of a run's text that leaves by OTLP. */
public enum ContentCapture {
    /** No text at all. */
    NONE,
    /** The SHA-256 and the length of each text that a preview would hold. */
    HASH,
    /** Text cut to what people read and to what back ends keep. */
    PREVIEW,
    /** Whole texts, up to 1 MiB each. */
    FULL;

    private static final int ERROR_CHARACTERS = 200;
    private static final String VARIABLE = "RLM_CAPTURE_CONTENT";
    private static final String GENAI_VARIABLE = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT";

    private static final String OWN = "CAPTURE_CONTENT";
    private static final List<String> NAMES = List.of("none", "hash", "preview", "full");

    /**
     * Reads the sink's own {@code CAPTURE_CONTENT}, else {@code RLM_CAPTURE_CONTENT}, else OpenTelemetry's own
     * variable; {@link #PREVIEW} if none of them is set.
     */
    public static ContentCapture of(SinkConfig config) {
        SinkConfig shared = config.shared();
        String fallback = shared.string(GENAI_VARIABLE, "").toLowerCase(Locale.ROOT);
        String otherwise = switch (fallback) {
            case "true", "span_only", "span_and_event" -> "full";
            case "false", "no_content", "event_only" -> "none"; // the text would be on spans
            default -> "preview";
        };
        String general = shared.choice(VARIABLE, otherwise, NAMES);
        return valueOf(config.choice(OWN, general, NAMES).toUpperCase(Locale.ROOT));
    }

    /**
     * Returns the part of the text that is sent, or its hash; empty if nothing is sent.
     *
     * @param characters the limit of a preview, in characters
     */
    Optional<String> of(Content content, int characters) {
        return switch (this) {
            case NONE -> Optional.empty();
            case HASH -> Optional.of(hash(content));
            case PREVIEW -> Optional.of(TextLimits.cut(content.preview(characters), TextLimits.PREVIEW_BYTES));
            case FULL -> Optional.of(TextLimits.cut(content.text(), TextLimits.FULL_BYTES));
        };
    }

    /**
     * Returns what is sent of a text where no more than its beginning has a place, even if the whole is sent elsewhere;
     * empty where nothing is.
     *
     * @param characters how many characters it has at most
     */
    String beginning(Content content, int characters) {
        return switch (this) {
            case NONE -> "";
            case HASH -> hash(content);
            case PREVIEW, FULL -> TextLimits.cut(content.preview(characters), TextLimits.PREVIEW_BYTES);
        };
    }

    /** Returns what is sent of an error: its first 200 characters, the hash, or nothing. */
    public String error(@Nullable Content error) {
        return error == null ? "" : beginning(error, ERROR_CHARACTERS);
    }

    private static String hash(Content content) {
        return content.isEmpty() ? "" : "sha256:" + content.sha256() + " length:" + content.length();
    }

    /** Returns the limit, in bytes, of a second form of a text on one span: all forms go in one request. */
    int maxBytesAgain() {
        return this == FULL ? TextLimits.FULL_BYTES / 4 : TextLimits.PREVIEW_BYTES;
    }
}
