package dev.rlm.runs.scan;

/** Search for whole words: a number is not found in a longer one, nor a word in another. */
final class WholeWords {
    private WholeWords() {}

    static boolean contains(String text, String words) {
        return indexOf(text, words, 0) >= 0;
    }

    /** Returns where the words stand in the text, from a place on; -1 where they do not. */
    static int indexOf(String text, String words, int from) {
        int at = words.isEmpty() ? -1 : text.indexOf(words, from);
        while (at >= 0 && !(isFree(text, at - 1, -1) && isFree(text, at + words.length(), 1))) {
            at = text.indexOf(words, at + 1);
        }
        return at;
    }

    /** Returns whether no word goes on at a place, nor a number behind its point. */
    private static boolean isFree(String text, int at, int direction) {
        if (at < 0 || at >= text.length()) {
            return true;
        }
        char here = text.charAt(at);
        int next = at + direction;
        boolean inNumber = (here == '.' || here == ',')
                && next >= 0
                && next < text.length()
                && Character.isDigit(text.charAt(next));
        return !Character.isLetterOrDigit(here) && here != '_' && !inNumber;
    }
}
