package dev.rlm.cli.terminal;

import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;

/** Colours on a terminal, and nothing elsewhere. */
public record Ink(boolean enabled) {
    /** No colours. */
    public static final Ink NONE = new Ink(false);

    /** Returns when the program uses escapes: on a terminal that knows them, unless {@code NO_COLOR} is set. */
    public static Ansi allowed() {
        return "dumb".equals(System.getenv("TERM")) ? Ansi.OFF : Ansi.AUTO;
    }

    /** Returns the colours that the command line allows: see {@link #allowed}. */
    public static Ink of(CommandLine command) {
        return new Ink(command.getColorScheme().ansi().enabled());
    }

    public String bold(String text) {
        return paint("1", text);
    }

    public String dim(String text) {
        return paint("2", text);
    }

    public String red(String text) {
        return paint("31", text);
    }

    public String green(String text) {
        return paint("32", text);
    }

    public String yellow(String text) {
        return paint("33", text);
    }

    private String paint(String code, String text) {
        return enabled && !text.isEmpty() ? "\u001B[" + code + "m" + text + "\u001B[0m" : text;
    }
}
