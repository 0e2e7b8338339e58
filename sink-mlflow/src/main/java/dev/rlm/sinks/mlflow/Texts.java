package dev.rlm.sinks.mlflow;

import dev.rlm.sinks.event.Content;

/** Text as MLflow keeps it: its parser drops a field with half a character, its databases refuse zeros. */
final class Texts {
    private static final int NAME = 250;
    private static final int LINE = 200;

    private Texts() {}

    /** A name, of 250 characters at the most. */
    static String name(String text) {
        return cut(text, NAME);
    }

    /** What went wrong, shortly. */
    static String line(String text) {
        return cut(text, LINE);
    }

    private static String cut(String text, int characters) {
        String clean = Content.wellFormed(text).replace('\u0000', '\uFFFD');
        return clean.codePointCount(0, clean.length()) <= characters
                ? clean
                : clean.substring(0, clean.offsetByCodePoints(0, characters));
    }
}
