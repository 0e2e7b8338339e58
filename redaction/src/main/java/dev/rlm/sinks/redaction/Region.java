package dev.rlm.sinks.redaction;

/**
 * A text from an index on, without a copy, that ends every reading of it which takes too long; one for a limited reader also
 * where that reads much of it, or what readers take differently.
 */
final class Region implements CharSequence {
    private static final int CHECKED = (1 << 13) - 1;
    private static final int LIMIT = 1 << 11; // reads, for each of which there may be some frames on the stack

    private final String text;
    private final int from;
    private final Deadline deadline;
    private final boolean isLimited;
    private int reads;

    Region(String text, int from, Deadline deadline, boolean isLimited) {
        this.text = text;
        this.from = from;
        this.deadline = deadline;
        this.isLimited = isLimited;
    }

    @Override
    public int length() {
        return text.length() - from;
    }

    @Override
    public char charAt(int index) {
        char c = text.charAt(from + index);
        if (isLimited) {
            if (++reads > LIMIT || isDisputed(c)) {
                throw new LimitException();
            }
        } else if ((++reads & CHECKED) == 0) {
            deadline.check();
        }
        return c;
    }

    /** Returns whether java.util.regex and RE2/J differ about it: the one takes it for a space, others for s and k. */
    private static boolean isDisputed(char c) {
        return c == '\u000B' || c == '\u017F' || c == '\u212A' || Character.isSurrogate(c);
    }

    @Override
    public CharSequence subSequence(int start, int end) {
        return text.substring(from + start, from + end);
    }

    @Override
    public String toString() {
        return text.substring(from);
    }

    /** Says that a limited reader shall not go on. */
    static final class LimitException extends RuntimeException {
        private static final long serialVersionUID = 1;

        LimitException() {
            super("limit", null, false, false);
        }
    }
}
