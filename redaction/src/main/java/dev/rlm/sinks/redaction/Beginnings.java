package dev.rlm.sinks.redaction;

import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Beginnings of texts in which an expression matches, as far as they were met: a tree that grows character by
 * character. It tells in some nanoseconds and without garbage of nearly every place where a keyword means nothing that
 * there is nothing. Safe for use by several threads.
 *
 * <p>Where it has to grow it asks {@link java.util.regex}, whose matchers know whether more text could change their answer.
 * These see no more than {@value #MAX_LENGTH} characters, for which no expression here takes long.
 */
final class Beginnings {
    private static final int MAX_LENGTH = 24;
    private static final int MAX_NODES = 1 << 8; // then it grows anew
    private static final int ASCII = 128;
    private static final Pattern OTHERS = Pattern.compile("[^\\x00-\\x7F]");
    private static final String OTHER = "\u00A7"; // in the place of all: no letter, no white space
    private static final Node NONE = new Node();

    private final String regex;
    private @Nullable Pattern pattern;
    private volatile Node root = new Node();
    private int nodes;

    Beginnings(String regex) {
        this.regex = regex;
    }

    /** Returns whether the expression may match there; where it does it always may. */
    boolean mayMatch(String text, int from) {
        int end = Math.min(text.length(), from + MAX_LENGTH);
        Node node = root;
        for (int i = from; i < end; i++) {
            char c = text.charAt(i);
            if (!isAlike(c)) {
                return true;
            }
            Node next = node.get(Math.min(c, ASCII));
            if (next == null) {
                next = grow(node, Math.min(c, ASCII), text.substring(from, i + 1));
            }
            if (next == NONE) {
                return false;
            }
            node = next;
        }
        return true;
    }

    /** Returns whether both kinds of expressions take the character for the same: not white space, nor what folds to k and s. */
    private static boolean isAlike(char c) {
        return c != '\r' && c != '\u000B' && c != '\u017F' && c != '\u212A' && !Character.isSurrogate(c);
    }

    private synchronized Node grow(Node node, int index, String beginning) {
        if (nodes >= MAX_NODES) {
            nodes = 0;
            root = new Node();
        }
        if (pattern == null) {
            pattern = Pattern.compile(regex);
        }
        Matcher match = pattern.matcher(OTHERS.matcher(beginning).replaceAll(OTHER));
        Node next = NONE;
        if (match.lookingAt() || match.hitEnd()) {
            next = new Node();
            nodes++;
        }
        node.set(index, next);
        return next;
    }

    /** A beginning; by the character that follows, the next, with one for all that are not of ASCII. */
    private static final class Node extends AtomicReferenceArray<@Nullable Node> {
        private static final long serialVersionUID = 1L;

        Node() {
            super(ASCII + 1);
        }
    }
}
