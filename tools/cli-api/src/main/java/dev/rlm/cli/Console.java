package dev.rlm.cli;

import dev.rlm.cli.terminal.Printable;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;

/**
 * Streams of a command, and the signal that tells it to end.
 *
 * @param in what commands read that read standard input
 * @param out for results
 * @param err for everything else
 * @param terminal whether a person sees {@code err} as it comes
 * @param program how the user calls the program
 * @param stop tells that the command is to end
 */
public record Console(
        InputStream in, PrintWriter out, PrintWriter err, boolean terminal, String program, StopSignal stop) {
    /** A console of a command that reads no input, and ends as this process does. */
    public Console(PrintWriter out, PrintWriter err, boolean terminal, String program) {
        this(InputStream.nullInputStream(), out, err, terminal, program, StopSignal.PROCESS);
    }

    /**
     * This process's streams. Java itself cannot tell where stderr leads, so the launcher says it
     * ({@code rlm.terminal}), and how it was called ({@code rlm.program}).
     */
    public static Console system() {
        return new Console(
                System.in,
                new StandardOutput(),
                new PrintWriter(System.err, true, StandardCharsets.UTF_8),
                Boolean.getBoolean("rlm.terminal"),
                System.getProperty("rlm.program", "rlm"),
                StopSignal.PROCESS);
    }

    /** Returns a console whose results go elsewhere. */
    public Console withOut(PrintWriter other) {
        return new Console(in, other, err, terminal, program, stop);
    }

    /** Returns whether the output was closed early, as in {@code rlm list | head}. That is not an error. */
    public boolean isReaderGone() {
        return out instanceof StandardOutput output && output.isReaderGone();
    }

    /** Tells the user why the command has not done what it was to. */
    public void error(String message) {
        err.println("rlm: " + Printable.line(message));
        err.flush();
    }

    /** Tells the user that something is amiss that does not stop the command. */
    public void warn(String message) {
        err.println("warning: " + Printable.line(message));
        err.flush();
    }
}
