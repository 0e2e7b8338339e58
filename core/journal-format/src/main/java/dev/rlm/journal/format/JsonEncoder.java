package dev.rlm.journal.format;

import dev.rlm.journal.format.segment.ByteScan;
import dev.rlm.journal.format.segment.LineBuffer;
import java.time.Instant;
import java.time.temporal.ChronoField;
import java.util.HexFormat;

/**
 * The values of JSON as bytes of UTF-8, in a buffer. Invisible characters are written as escapes, as JSON allows for
 * any: control characters beyond those of ASCII, of which terminals obey some; line separators, at which some readers
 * break lines; and what turns the direction of text. Other characters are not escaped, because that would make Chinese
 * text three times as long. Text is well-formed.
 */
public final class JsonEncoder {
    private static final int ASCII = 0x80;
    private static final int TWO_BYTES = 0x800;
    private static final int DELETE = 0x7F;
    private static final int LONGEST = 6; // bytes of a character: those of an escape
    private static final int WIDE = 32; // characters that are looked at one by one where one is none of Latin 1
    private static final int MAX_DIGITS = 20; // of a whole number
    private static final int LONG_DIGITS = 19;
    private static final int NANO_DIGITS = 9;
    private static final double THOUSAND = 1_000;
    private static final double PLAIN = 1e7; // from here on numbers have an exponent
    private static final byte NUMBERED = 1;
    private static final HexFormat UPPER = HexFormat.of().withUpperCase();
    private static final HexFormat LOWER = HexFormat.of();
    private static final byte[] ESCAPES = escapes();

    private final LineBuffer buffer;

    public JsonEncoder(LineBuffer buffer) {
        this.buffer = buffer;
    }

    /**
     * Returns the byte behind the backslash for each character of ASCII; {@link #NUMBERED} for an escape by number, 0
     * for none.
     */
    private static byte[] escapes() {
        byte[] escapes = new byte[ASCII];
        for (int c = 0; c < ' '; c++) {
            escapes[c] = NUMBERED;
        }
        escapes[DELETE] = NUMBERED;
        String plain = "\"\\\b\t\n\f\r";
        for (int i = 0; i < plain.length(); i++) {
            escapes[plain.charAt(i)] = (byte) "\"\\btnfr".charAt(i);
        }
        return escapes;
    }

    /** Text that is of ASCII and needs no escape, as it is. Copied by the virtual machine, a name costs a few nanoseconds. */
    @SuppressWarnings("deprecation") // the only copy without garbage; each character is one byte here
    void plain(String text) {
        int size = buffer.size();
        text.getBytes(0, text.length(), buffer.room(text.length()), size);
        buffer.resize(size + text.length());
    }

    void plain(char c) {
        buffer.room(1)[buffer.size()] = (byte) c;
        buffer.resize(buffer.size() + 1);
    }

    /** The name of a field, behind what parts it from what is before. */
    @SuppressWarnings("deprecation") // as above
    void name(char before, String name) {
        int size = buffer.size();
        byte[] bytes = buffer.room(name.length() + 4);
        bytes[size++] = (byte) before;
        bytes[size++] = '"';
        name.getBytes(0, name.length(), bytes, size);
        size += name.length();
        bytes[size++] = '"';
        bytes[size++] = ':';
        buffer.resize(size);
    }

    public void string(String text) {
        plain('"');
        for (int from = 0; from < text.length(); ) {
            from = string(text, from, Math.min(text.length(), from + LineBuffer.PIECE));
        }
        plain('"');
    }

    /** Writes the characters up to there, and the other half of a pair; returns behind them. */
    private int string(String text, int from, int to) {
        byte[] bytes = buffer.room(LONGEST * (to - from + 1));
        buffer.take(text, from, to);
        int size = buffer.size();
        int at = from;
        while (at < to) {
            int latinEnd = buffer.latinEnd(at - from);
            size = latin(buffer.latin(), at - from, latinEnd, bytes, size);
            at = from + latinEnd;
            for (int end = Math.min(to, at + WIDE); at < end; at++) {
                char c = text.charAt(at);
                if (Character.isHighSurrogate(c) && at + 1 < text.length()) {
                    size = fourBytes(bytes, size, Character.toCodePoint(c, text.charAt(++at)));
                } else {
                    size = character(bytes, size, c);
                }
            }
        }
        buffer.resize(size);
        return at;
    }

    /** Writes bytes of Latin 1: those that stand for themselves many at a time. */
    private static int latin(byte[] latin, int from, int to, byte[] bytes, int at) {
        int size = at;
        int next = from;
        while (next < to) {
            int plain = ByteScan.copyPlain(latin, next, to, bytes, size);
            size += plain;
            next += plain;
            if (next < to) {
                size = character(bytes, size, (char) (latin[next++] & 0xFF));
            }
        }
        return size;
    }

    private static int character(byte[] bytes, int size, char c) {
        if (c < ASCII && ESCAPES[c] == 0) {
            bytes[size] = (byte) c;
            return size + 1;
        }
        return special(bytes, size, c);
    }

    private static int special(byte[] bytes, int size, char c) {
        if (c < ASCII) {
            return escape(bytes, size, c);
        }
        return isUnseen(c) ? numbered(bytes, size, LOWER, c) : moreBytes(bytes, size, c);
    }

    private static boolean isUnseen(char c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL, Character.FORMAT, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR -> true;
            default -> false;
        };
    }

    private static int escape(byte[] bytes, int size, char c) {
        if (ESCAPES[c] == NUMBERED) {
            return numbered(bytes, size, UPPER, c);
        }
        bytes[size] = '\\';
        bytes[size + 1] = ESCAPES[c];
        return size + 2;
    }

    private static int numbered(byte[] bytes, int size, HexFormat hex, char c) {
        bytes[size] = '\\';
        bytes[size + 1] = 'u';
        for (int i = 0; i < Character.BYTES * 2; i++) {
            int shift = (Character.BYTES * 2 - 1 - i) * 4;
            bytes[size + 2 + i] = (byte) hex.toLowHexDigit(c >> shift);
        }
        return size + LONGEST;
    }

    private static int moreBytes(byte[] bytes, int at, char c) {
        int size = at;
        if (c < TWO_BYTES) {
            bytes[size++] = (byte) (0xC0 | (c >> 6));
        } else {
            bytes[size++] = (byte) (0xE0 | (c >> 12));
            bytes[size++] = continuation(c >> 6);
        }
        bytes[size++] = continuation(c);
        return size;
    }

    private static int fourBytes(byte[] bytes, int size, int point) {
        bytes[size] = (byte) (0xF0 | (point >> 18));
        bytes[size + 1] = continuation(point >> 12);
        bytes[size + 2] = continuation(point >> 6);
        bytes[size + 3] = continuation(point);
        return size + 4;
    }

    private static byte continuation(int bits) {
        return (byte) (0x80 | (bits & 0x3F));
    }

    void number(long value) {
        if (value == Long.MIN_VALUE) {
            plain(Long.toString(value)); // it has no positive
            return;
        } else if (value < 0) {
            plain('-');
        }
        digits(Math.abs(value), 1);
    }

    /** Writes a number that is not negative, with zeros before it up to so many digits. */
    private void digits(long value, int least) {
        int count = 1;
        for (long power = 10; count < LONG_DIGITS && value >= power; power *= 10) {
            count++;
        }
        count = Math.max(count, least);
        byte[] bytes = buffer.room(MAX_DIGITS);
        int end = buffer.size() + count;
        long rest = value;
        for (int i = end - 1; i >= buffer.size(); i--) {
            bytes[i] = (byte) ('0' + rest % 10);
            rest /= 10;
        }
        buffer.resize(end);
    }

    /**
     * Writes the number as Java does; NaN and the infinities as strings. A number of up to three decimals, as most rewards
     * are, leaves no garbage.
     */
    void number(double value) {
        double size = Math.abs(value);
        long thousandths = Math.round(size * THOUSAND);
        if (thousandths > 0 && size < PLAIN && thousandths / THOUSAND == size) {
            if (value < 0) {
                plain('-');
            }
            decimal(thousandths);
        } else if (Double.isFinite(value)) {
            plain(Double.toString(value));
        } else {
            string(Double.toString(value));
        }
    }

    private void decimal(long thousandths) {
        digits(thousandths / 1_000, 1);
        plain('.');
        long decimals = thousandths % 1_000;
        int count = 3;
        while (count > 1 && decimals % 10 == 0) {
            decimals /= 10;
            count--;
        }
        digits(decimals, count);
    }

    void time(Instant time) {
        plain('"');
        plain(JournalTime.second(time));
        digits(time.get(ChronoField.NANO_OF_SECOND), NANO_DIGITS);
        plain("Z\"");
    }
}
