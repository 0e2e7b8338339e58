package dev.rlm.sinks.event;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Text that may hold secrets. What can be read from it is redacted; the raw text is out of every reader's reach.
 *
 * <p>Redaction happens once, when the text is first read, and therefore on a sink's thread and not on the runner's. It
 * is deterministic, so that two threads that read at the same time see the same; afterwards the raw text is let go. A
 * redaction that fails gives {@value #FAILED} in place of the text. The text is always {@linkplain #wellFormed well-formed}.
 */
public final class Content {
    /** What stands for a text whose redaction failed. */
    public static final String FAILED = "[REDACTED:failed]";

    /** No text. */
    public static final Content EMPTY = redacted("");

    private static final String REDACTED = "[REDACTED:"; // so begins what stands for a secret
    private static final int REPLACEMENT = 0xFFFD;
    private static final VarHandle RAW;

    static {
        try {
            RAW = MethodHandles.lookup().findVarHandle(Content.class, "raw", String.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final UnaryOperator<String> redaction;
    private final int weight;

    // Raw until the first reading, text from then on. The release of raw publishes text.
    @SuppressWarnings("unused") // read and written through RAW
    private @Nullable String raw;

    private @Nullable String text;

    private Content(UnaryOperator<String> redaction, @Nullable String raw, @Nullable String text) {
        this.redaction = redaction;
        this.weight = raw != null ? raw.length() : text != null ? text.length() : 0;
        this.raw = raw;
        this.text = text;
    }

    /** Text to be redacted by the given deterministic function when it is first read, on whichever thread reads. */
    public static Content of(String raw, UnaryOperator<String> redaction) {
        return raw.isEmpty() ? EMPTY : new Content(redaction, Objects.requireNonNull(raw), null);
    }

    /** Text that is redacted already, or known to hold no secret; it is passed on as it is. */
    public static Content redacted(String text) {
        return new Content(UnaryOperator.identity(), null, wellFormed(text));
    }

    /**
     * The text with each half of a surrogate pair that stands alone replaced by U+FFFD: UTF-8 has no form for it, and
     * every sink would make something else of it.
     */
    public static String wellFormed(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (Character.isSurrogate(text.charAt(i))) {
                return withoutHalves(text);
            }
        }
        return text;
    }

    private static String withoutHalves(String text) {
        StringBuilder whole = new StringBuilder(text.length());
        text.codePoints()
                .forEach(point ->
                        whole.appendCodePoint(Character.getType(point) == Character.SURROGATE ? REPLACEMENT : point));
        return whole.toString();
    }

    /** The redacted text. */
    public String text() {
        String unread = (String) RAW.getAcquire(this);
        if (unread == null) {
            return Objects.requireNonNull(text);
        }
        String result = apply(redaction, unread);
        text = result;
        RAW.setRelease(this, null);
        return result;
    }

    @SuppressWarnings("CatchThrowable") // fail closed, whatever the cause
    private static String apply(UnaryOperator<String> redact, String raw) {
        try {
            return wellFormed(redact.apply(raw));
        } catch (Throwable e) {
            return FAILED;
        }
    }

    /** Whether something stands in it in the place of a secret, or of the whole where redaction failed. */
    public boolean isRedacted() {
        return text().contains(REDACTED);
    }

    /** Whether there is no text. */
    public boolean isEmpty() {
        return text().isEmpty();
    }

    /** The length of the redacted text in characters (UTF-16 units). */
    public int length() {
        return text().length();
    }

    /**
     * The length of the text as it was given, in characters: what a queue has to bound. It never changes and reading it
     * redacts nothing.
     */
    public int weight() {
        return weight;
    }

    /** The SHA-256 of the redacted text in UTF-8, as 64 hexadecimal digits. */
    public String sha256() {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(text().getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    /** The first {@code codePoints} characters of the redacted text; never half of a surrogate pair. */
    public String preview(int codePoints) {
        String whole = text();
        if (whole.length() <= codePoints) {
            return whole;
        }
        // So many characters take at most twice as many units: beyond them there is nothing to count.
        int units = (int) Math.min(whole.length(), 2L * codePoints);
        return whole.codePointCount(0, units) <= codePoints
                ? whole.substring(0, units)
                : whole.substring(0, whole.offsetByCodePoints(0, codePoints));
    }

    /** Equal when the redacted texts are. */
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Content content && text().equals(content.text());
    }

    @Override
    public int hashCode() {
        return text().hashCode();
    }

    /** The redacted text. */
    @Override
    public String toString() {
        return text();
    }
}
