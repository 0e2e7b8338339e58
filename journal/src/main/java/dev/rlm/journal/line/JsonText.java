package dev.rlm.journal.line;

import dev.rlm.journal.format.segment.ByteScan;
import java.nio.charset.StandardCharsets;

/** Reads strings of JSON that {@link JsonSyntax} has found whole, and so checks nothing. */
final class JsonText {
    private final byte[] bytes;
    private final byte[] plain; // UTF-8 without escapes
    private final int end;
    private int used;

    private JsonText(byte[] bytes, int from, int end) {
        this.bytes = bytes;
        this.plain = new byte[end - from]; // an escape is no shorter than what it stands for
        this.end = end;
    }

    /** The text that begins there, behind its quotation mark. */
    static String of(byte[] bytes, int from) {
        int plainEnd = ByteScan.plainEnd(bytes, from, bytes.length);
        if (bytes[plainEnd] == '"') {
            return Words.of(bytes, from, plainEnd - from);
        }
        int end = end(bytes, plainEnd);
        return new JsonText(bytes, from, end).read(from);
    }

    /** Returns the index of the quotation mark that ends the text beginning there. */
    static int end(byte[] bytes, int from) {
        int at = ByteScan.plainEnd(bytes, from, bytes.length);
        while (bytes[at] != '"') {
            at = ByteScan.plainEnd(bytes, at + (bytes[at] == '\\' ? 2 : 1), bytes.length);
        }
        return at;
    }

    private String read(int from) {
        int at = from;
        while (at < end) {
            int next = ByteScan.plainEnd(bytes, at, end);
            System.arraycopy(bytes, at, plain, used, next - at);
            used += next - at;
            at = next == end ? end : special(next);
        }
        return new String(plain, 0, used, StandardCharsets.UTF_8);
    }

    /** Takes an escape, or bytes that are no ASCII; returns what comes behind it. */
    private int special(int at) {
        if (bytes[at] != '\\') {
            int next = at;
            do {
                plain[used++] = bytes[next++];
            } while (bytes[next] < 0); // as the rest of such a text mostly is
            return next;
        } else if (bytes[at + 1] != 'u') {
            plain[used++] = (byte) escaped(bytes[at + 1]);
            return at + 2;
        }
        int unit = hexadecimal(at + 2);
        boolean pair = Character.isHighSurrogate((char) unit)
                && at + 11 < end
                && bytes[at + 6] == '\\'
                && bytes[at + 7] == 'u'
                && Character.isLowSurrogate((char) hexadecimal(at + 8));
        if (pair) {
            put(Character.toCodePoint((char) unit, (char) hexadecimal(at + 8)));
            return at + 12;
        }
        put(unit);
        return at + 6;
    }

    private static int escaped(byte letter) {
        return switch (letter) {
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            default -> letter;
        };
    }

    private int hexadecimal(int from) {
        int unit = 0;
        for (int at = from; at < from + 4; at++) {
            unit = (unit << 4) | Character.digit(bytes[at], 16);
        }
        return unit;
    }

    /** Half a surrogate pair becomes a replacement character, as everywhere in the journal. */
    private void put(int codePoint) {
        if (codePoint < 0x80) {
            plain[used++] = (byte) codePoint;
            return;
        }
        boolean half = codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE;
        byte[] encoded = Character.toString(half ? 0xfffd : codePoint).getBytes(StandardCharsets.UTF_8);
        System.arraycopy(encoded, 0, plain, used, encoded.length);
        used += encoded.length;
    }
}
