package dev.rlm.sinks.event;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetEncoder;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

/**
 * Rule by which long text is cut: its beginning and its end stay, and between them stands how many characters are missing, how
 * many there were, and the SHA-256 of the whole in UTF-8.
 *
 * <p>Each end is redacted together with a margin that is thrown away afterwards. Where the margin was cut off from the rest a
 * secret may be in two: the characters next to there are never kept, however much a redaction has shortened the text.
 *
 * @param kept the length of each end
 */
record TruncationRule(int kept, int margin) {
    private static final Pattern MARKER = Pattern.compile("\\[CUT:\\d+:\\d+:[0-9a-f]{64}]");
    private static final String REDACTED = "[REDACTED:"; // so begins what stands for a secret
    private static final int MAX_REDACTED = 64; // its length
    private static final int UNSAFE = 12_288; // a part of a secret at most, with the shorter secrets in it replaced
    private static final int CHUNK = 1 << 13;
    private static final byte[] REPLACEMENT = "\uFFFD".getBytes(StandardCharsets.UTF_8);

    /** Returns what stays of the raw text; {@link Content#FAILED} where the redaction of an end gives that. */
    String of(String raw, UnaryOperator<String> redaction) {
        String head = Content.wellFormed(redaction.apply(raw.substring(0, kept + margin)));
        String first = head.substring(0, end(head, Math.min(kept, Math.max(0, head.length() - UNSAFE))));
        String tail = Content.wellFormed(redaction.apply(raw.substring(raw.length() - kept - margin)));
        if (head.equals(Content.FAILED) || tail.equals(Content.FAILED)) {
            return Content.FAILED;
        }
        String last = tail.substring(start(tail, Math.max(tail.length() - kept, Math.min(UNSAFE, tail.length()))));
        int missing = raw.length() - first.length() - last.length();
        return first + "[CUT:" + missing + ":" + raw.length() + ":" + sha256(raw) + "]" + last;
    }

    static boolean isMarkedIn(String text) {
        int first = text.indexOf("[CUT:");
        return first >= 0 && MARKER.matcher(text).find(first);
    }

    /** Returns the end of the beginning: behind what stands for a secret, and not within a surrogate pair. */
    private static int end(String text, int index) {
        int redacted = redactedAround(text, index);
        if (redacted >= 0) {
            return text.indexOf(']', redacted) + 1;
        }
        return isWithinPair(text, index) ? index - 1 : index;
    }

    /** Returns the beginning of the end: before a mark that stands for a secret, and not within a surrogate pair. */
    private static int start(String text, int index) {
        int redacted = redactedAround(text, index);
        if (redacted >= 0) {
            return redacted;
        }
        return isWithinPair(text, index) ? index + 1 : index;
    }

    /** Returns the beginning of the mark of a secret that has the index within it; -1 for none. */
    private static int redactedAround(String text, int index) {
        int begin = text.lastIndexOf(REDACTED, index - 1);
        if (begin <= index - MAX_REDACTED) {
            return -1;
        }
        int last = text.indexOf(']', begin);
        return begin >= 0 && last >= index && last < begin + MAX_REDACTED ? begin : -1;
    }

    private static boolean isWithinPair(String text, int index) {
        return index > 0
                && index < text.length()
                && Character.isSurrogatePair(text.charAt(index - 1), text.charAt(index));
    }

    /** Of the well-formed text in UTF-8, without ever holding that. */
    private static String sha256(String text) {
        CharsetEncoder utf8 = StandardCharsets.UTF_8
                .newEncoder()
                .onMalformedInput(CodingErrorAction.REPLACE)
                .replaceWith(REPLACEMENT);
        MessageDigest digest = newDigest();
        CharBuffer chars = CharBuffer.allocate(CHUNK);
        ByteBuffer bytes = ByteBuffer.allocate(3 * CHUNK);
        for (int from = 0; from < text.length(); ) {
            int to = Math.min(text.length(), from + chars.remaining());
            text.getChars(from, to, chars.array(), chars.position());
            chars.position(chars.position() + to - from).flip();
            utf8.encode(chars, bytes, to == text.length());
            digest.update(bytes.flip());
            bytes.clear();
            chars.compact(); // the first half of a pair may be left
            from = to;
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    static MessageDigest newDigest() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
