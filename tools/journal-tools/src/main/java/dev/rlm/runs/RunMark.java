package dev.rlm.runs;

import dev.rlm.cli.terminal.Ink;
import dev.rlm.journal.RunSummary;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Mark of what came of a run, where there is room for one character. */
enum RunMark {
    SOLVED('✓', '+'),
    NOT_SOLVED('✗', '-'),
    UNDECIDED('?', '?'),
    NO_REWARD('–', '_'),
    FAILED('!', '!'),
    NO_END('·', '.');

    private final char mark;
    private final char ascii;

    RunMark(char mark, char ascii) {
        this.mark = mark;
        this.ascii = ascii;
    }

    /** Returns the run's; a run that failed after it was solved counts as solved. */
    static RunMark of(RunSummary run) {
        return switch (run.state()) {
            case RUNNING, UNFINISHED, ABANDONED -> NO_END;
            case ABORTED -> FAILED;
            case FAILED -> run.isSolved() ? SOLVED : FAILED;
            case COMPLETED ->
                switch (run.verdict()) {
                    case SOLVED -> SOLVED;
                    case UNDECIDED -> UNDECIDED;
                    case UNREWARDED -> NO_REWARD;
                    case UNSOLVED -> NOT_SOLVED;
                };
        };
    }

    /** Returns the mark as the locale can show it. */
    char character() {
        return "UTF-8".equalsIgnoreCase(System.getProperty("native.encoding")) ? mark : ascii;
    }

    /** Returns its name as records have it. */
    String field() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns the marks with their meanings. */
    static String legend() {
        return Stream.of(values())
                .map(mark -> mark.character() + " " + mark.meaning())
                .collect(Collectors.joining(", "));
    }

    private String meaning() {
        return switch (this) {
            case SOLVED, NOT_SOLVED, UNDECIDED, NO_REWARD -> field().replace('_', ' ');
            case FAILED -> "failed or aborted";
            case NO_END -> "running or abandoned";
        };
    }

    /** Gives marks the colours of good and bad news. */
    static String colored(Ink ink, String marks) {
        return marks.codePoints()
                .mapToObj(Character::toString)
                .map(mark -> colour(ink, mark))
                .collect(Collectors.joining());
    }

    private static String colour(Ink ink, String mark) {
        char c = mark.charAt(0);
        if (c == SOLVED.character()) {
            return ink.green(mark);
        } else if (c == NOT_SOLVED.character() || c == FAILED.character()) {
            return ink.red(mark);
        }
        return c == UNDECIDED.character() ? ink.yellow(mark) : mark;
    }
}
