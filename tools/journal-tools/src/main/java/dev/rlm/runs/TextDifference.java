package dev.rlm.runs;

/**
 * Part in which two texts differ, in whole words.
 *
 * @param before the beginning that both have
 * @param here the part of the first text that differs; empty where the second has more
 * @param there the part of the second text
 * @param after the end that both have
 */
record TextDifference(String before, String here, String there, String after) {
    private static final int CONTEXT = 30; // characters

    static TextDifference of(String here, String there) {
        int shorter = Math.min(here.length(), there.length());
        int start = 0;
        while (start < shorter && here.charAt(start) == there.charAt(start)) {
            start++;
        }
        while (start > 0 && (isInWord(here, start) || isInWord(there, start))) {
            start--;
        }
        int end = 0; // characters of the common end
        while (end < shorter - start && last(here, end) == last(there, end)) {
            end++;
        }
        while (end > 0 && (isInWord(here, here.length() - end) || isInWord(there, there.length() - end))) {
            end--;
        }
        return new TextDifference(
                here.substring(0, start),
                here.substring(start, here.length() - end),
                there.substring(start, there.length() - end),
                here.substring(here.length() - end));
    }

    private static char last(String text, int fromEnd) {
        return text.charAt(text.length() - 1 - fromEnd);
    }

    private static boolean isInWord(String text, int at) {
        return at > 0 && at < text.length() && isWord(text.charAt(at - 1)) && isWord(text.charAt(at));
    }

    /** Returns whether it stays together with others of its kind; a surrogate does, since half a pair is no character. */
    private static boolean isWord(char c) {
        return Character.isLetterOrDigit(c) || Character.isSurrogate(c);
    }

    /** Returns the same with no more of the common beginning and end than a few words. */
    TextDifference shortened() {
        return new TextDifference(lastWords(before), here, there, firstWords(after));
    }

    private static String lastWords(String text) {
        int from = text.length() - CONTEXT;
        while (from > 0 && from < text.length() && isInWord(text, from)) {
            from++;
        }
        return from <= 0 ? text : "…" + text.substring(from);
    }

    private static String firstWords(String text) {
        int to = CONTEXT;
        while (to > 0 && isInWord(text, to)) {
            to--;
        }
        return text.length() <= CONTEXT ? text : text.substring(0, to) + "…";
    }
}
