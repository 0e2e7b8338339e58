package dev.rlm.runs.exchange.input;

/** Follows a JSON text, character by character, and tells whether it is within a list, an object or a text. */
public final class JsonNesting {
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

    public void follow(String text) {
        text.chars().forEach(this::follow);
    }

    /** Returns whether no list, object or text is open. */
    public boolean isOutside() {
        return !quoted && depth <= 0;
    }

    /** Returns whether lists or objects are open, but no text, in which no line ends. */
    public boolean mayGoOn() {
        return !quoted && depth > 0;
    }
}
