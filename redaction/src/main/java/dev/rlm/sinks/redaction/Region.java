package dev.rlm.sinks.redaction;

/** A text from an index on, without a copy, that ends every reading of it which takes too long. */
final class Region implements CharSequence {
    private static final int CHECKED = (1 << 13) - 1;

    private final String text;
    private final int from;
    private final Deadline deadline;
    private int reads;

    Region(String text, int from, Deadline deadline) {
        this.text = text;
        this.from = from;
        this.deadline = deadline;
    }

    @Override
    public int length() {
        return text.length() - from;
    }

    @Override
    public char charAt(int index) {
        if ((++reads & CHECKED) == 0) {
            deadline.check();
        }
        return text.charAt(from + index);
    }

    @Override
    public CharSequence subSequence(int start, int end) {
        return text.substring(from + start, from + end);
    }

    @Override
    public String toString() {
        return text.substring(from);
    }
}
