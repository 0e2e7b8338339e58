package dev.rlm.cli;

import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Commands as a person would type them. */
public final class Shell {
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_@%+=:,./-]+");

    private Shell() {}

    /** The words as one line that a POSIX shell takes apart into the same words. */
    public static String line(List<String> words) {
        return words.stream().map(Shell::quoted).collect(Collectors.joining(" "));
    }

    private static String quoted(String word) {
        return PLAIN.matcher(word).matches() ? word : "'" + word.replace("'", "'\\''") + "'";
    }
}
