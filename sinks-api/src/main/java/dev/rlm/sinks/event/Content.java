package dev.rlm.sinks.event;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Text that may hold secrets. What can be read from it is redacted; the raw text is out of every reader's reach.
 *
 * <p>Redaction happens once, when the text is first read, and therefore on a sink's thread and not on the runner's. It is
 * deterministic, so that two threads that read at the same time see the same; afterwards the raw text is let go, that of a
 * text that a run may tell {@linkplain #again again} at its end. A redaction that fails gives {@value #FAILED} in place of the text. The text is always {@linkplain #wellFormed well-formed}.
 *
 * <p>Text of more than 1,048,576 characters is cut when it is first read: its first and last 262,144 are kept, and between
 * them stands {@code [CUT:<characters left out>:<characters in all>:<SHA-256 of the whole in UTF-8>]}. Both numbers and the
 * hash are of the raw text, with what was left out being all that is not kept; only where redaction itself made a text that
 * long are they of the redacted one. Less is kept where much was redacted, a little more where a cut would go through what
 * stands for a secret.
 */
public final class Content {
    /** Stands for a text whose redaction failed. */
    public static final String FAILED = "[REDACTED:failed]";

    /** No text. */
    public static final Content EMPTY = new Content(UnaryOperator.identity(), new Redacted(""), 0);

    private static final int MAX_TEXT = 1 << 20; // longer ones are cut
    private static final int MAX_NAME = 1 << 16;
    private static final TruncationRule TEXT = new TruncationRule(1 << 18, 1 << 16);
    private static final TruncationRule NAME = new TruncationRule(1 << 14, 1 << 14);
    private static final String REDACTED = "[REDACTED:"; // so begins what stands for a secret
    private static final int REPLACEMENT = 0xFFFD;

    private final UnaryOperator<String> redaction;
    private final int weight;

    // A String while it is raw, a Redacted from the first reading on, a Content where it is told again: one field holds
    // all and tells them apart, so that no thread can take one for the other. An object of 24 bytes, of which a step
    // makes two.
    private Object text;

    private Content(UnaryOperator<String> redaction, Object text, int weight) {
        this.redaction = redaction;
        this.text = text;
        this.weight = weight;
    }

    /** Text to be redacted by the given deterministic function when it is first read, on whichever thread reads. */
    public static Content of(String raw, UnaryOperator<String> redaction) {
        return raw.isEmpty() ? EMPTY : new Content(redaction, raw, raw.length());
    }

    /**
     * Text that is redacted already, or known to hold no secret; it is passed on as it is, and cut only if it is too
     * long. What was cut is not, so that text from a journal stays the same.
     */
    public static Content redacted(String text) {
        boolean isLong = text.length() > MAX_TEXT;
        return new Content(UnaryOperator.identity(), isLong ? text : new Redacted(wellFormed(text)), text.length());
    }

    /**
     * The same text for another place where it is told, such as a message that a model is shown with each call: it is held and
     * redacted once for both.
     */
    public Content again() {
        return weight == 0 ? this : new Content(redaction, text instanceof Content first ? first : this, weight);
    }

    /** Returns whether another holds the text, which is told {@link #again}. */
    public boolean isAgain() {
        return text instanceof Content;
    }

    /**
     * A text that is no {@code Content}, such as a name, a tag or a parameter, as events and records keep it:
     * well-formed, and of more than 65,536 characters the first and last 16,384, cut as {@code Content} is.
     */
    public static String limited(String text) {
        return limited(text, UnaryOperator.identity());
    }

    /** Cuts a text as {@link #limited(String)} does, and passes it through a redaction. */
    public static String limited(String text, UnaryOperator<String> redaction) {
        return cut(redaction, text, MAX_NAME, NAME);
    }

    /**
     * The text with each half of a surrogate pair that stands alone replaced by U+FFFD: UTF-8 has no form for it, and
     * every sink would make something else of it.
     */
    public static String wellFormed(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (Character.isSurrogate(text.charAt(i))) {
                if (Character.charCount(text.codePointAt(i)) == 1) {
                    return withoutHalves(text);
                }
                i++; // a whole pair
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
        Object now = text;
        if (now instanceof Redacted known) {
            return known.text();
        } else if (now instanceof Content first) {
            return first.text();
        }
        String result = apply(redaction, (String) now);
        text = new Redacted(result);
        return result;
    }

    @SuppressWarnings("CatchThrowable") // fail closed, whatever the cause
    private static String apply(UnaryOperator<String> redact, String raw) {
        try {
            return cut(redact, raw, MAX_TEXT, TEXT);
        } catch (Throwable e) {
            return FAILED;
        }
    }

    private static String cut(UnaryOperator<String> redact, String raw, int max, TruncationRule truncation) {
        if (raw.length() > max) {
            return truncation.of(raw, redact);
        }
        String redacted = wellFormed(redact.apply(raw));
        return redacted.length() > max ? truncation.of(redacted, UnaryOperator.identity()) : redacted;
    }

    /** Returns whether only its beginning and its end are kept. */
    public boolean isCut() {
        return TruncationRule.isMarkedIn(text());
    }

    /** Returns whether it is not what was said: a secret in it was replaced, or part of it left out. */
    public boolean isAltered() {
        return isRedacted() || isCut();
    }

    /** Returns whether a secret in it, or the whole where redaction failed, was replaced. */
    public boolean isRedacted() {
        return text().contains(REDACTED);
    }

    /** Returns whether there is no text. */
    public boolean isEmpty() {
        return text().isEmpty();
    }

    /** The length of the redacted text in characters (UTF-16 units); at most 1,048,576. */
    public int length() {
        return text().length();
    }

    /**
     * Returns the length of the text as it was given, in characters, by which a queue bounds texts that are not read
     * yet. It never changes, also if the text is cut, and reading it redacts nothing.
     */
    public int weight() {
        return weight;
    }

    /** The SHA-256 of the redacted text in UTF-8, as 64 hexadecimal digits. */
    public String sha256() {
        return HexFormat.of().formatHex(TruncationRule.newDigest().digest(text().getBytes(StandardCharsets.UTF_8)));
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

    /** A text that sinks may see; any thread that sees it sees all of it. */
    private record Redacted(String text) {}
}
