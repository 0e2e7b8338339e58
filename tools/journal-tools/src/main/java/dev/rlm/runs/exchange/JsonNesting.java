package dev.rlm.runs.exchange;

/** Follows a JSON text, character by character, and tells whether it is within a list, an object or a text. */
final class JsonNesting {
    private int depth;
    private boolean quoted;
    private boolean escaped;

    void follow(int next) {
        if (quoted) {
            quoted = escaped || next != '"';
            escaped = !escaped && next == '\\';
        } else {
            quoted = next == '"';
            depth += next == '{' || next == '[' ? 1 : next == '}' || next == ']' ? -1 : 0;
        }
    }

    void follow(String text) {
        text.chars().forEach(this::follow);
    }

    /** Returns whether no list, object or text is open. */
    boolean isOutside() {
        return !quoted && depth <= 0;
    }

    /** Returns whether lists or objects are open, but no text, in which no line ends. */
    boolean mayGoOn() {
        return !quoted && depth > 0;
    }
}
