package dev.rlm.runner.journal;

import picocli.CommandLine;

/** Colours on a terminal, and nothing elsewhere. */
record Ink(boolean enabled) {
    /** As the command line decides it: by the terminal and {@code NO_COLOR}. */
    static Ink of(CommandLine command) {
        return new Ink(command.getColorScheme().ansi().enabled());
    }

    String bold(String text) {
        return paint("1", text);
    }

    String dim(String text) {
        return paint("2", text);
    }

    String red(String text) {
        return paint("31", text);
    }

    String green(String text) {
        return paint("32", text);
    }

    String yellow(String text) {
        return paint("33", text);
    }

    private String paint(String code, String text) {
        return enabled && !text.isEmpty() ? "\u001B[" + code + "m" + text + "\u001B[0m" : text;
    }
}
