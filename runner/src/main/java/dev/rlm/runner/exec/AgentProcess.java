package dev.rlm.runner.exec;

import dev.rlm.cli.process.OutputTail;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;

/** A program that acts in one run. Its lines are read as it says them; of what it says besides, the end is kept. */
final class AgentProcess implements AutoCloseable {
    private static final int MOST_CHARACTERS = 16 << 20; // of a line, or of a whole output
    private static final int MOST_LINES = 1_000; // that were not taken yet
    private static final String END = ""; // no line is empty
    private static final long GRACE_MILLIS = 2_000;

    private final Process process;
    private final Writer input;
    private final BlockingQueue<String> lines = new ArrayBlockingQueue<>(MOST_LINES + 1);
    private final OutputTail errors = new OutputTail();
    private final Thread errorReader;

    private AgentProcess(Process process) {
        this.process = process;
        this.input = process.outputWriter(StandardCharsets.UTF_8);
        read("rlm-agent-lines", this::readLines);
        errorReader = read("rlm-agent-errors", this::readErrors);
    }

    /** Starts a command by the shell. */
    static AgentProcess start(String command, Map<String, String> variables) throws IOException {
        ProcessBuilder builder = new ProcessBuilder("sh", "-c", command);
        builder.environment().putAll(variables);
        return new AgentProcess(builder.start());
    }

    private static Thread read(String name, Reading reading) {
        Thread thread = new Thread(
                () -> {
                    try {
                        reading.read();
                    } catch (IOException | InterruptedException e) {
                        // it has ended
                    }
                },
                name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private interface Reading {
        void read() throws IOException, InterruptedException;
    }

    private void readLines() throws IOException, InterruptedException {
        try (BufferedReader reader = process.inputReader(StandardCharsets.UTF_8)) {
            StringBuilder line = new StringBuilder();
            for (int next = reader.read(); next >= 0; next = reader.read()) {
                if (next != '\n') {
                    line.append((char) next);
                }
                if (next == '\n' || line.length() > MOST_CHARACTERS) {
                    take(line);
                }
            }
            take(line);
        } finally {
            lines.put(END);
        }
    }

    private void take(StringBuilder line) throws InterruptedException {
        String text = line.toString();
        line.setLength(0);
        if (!text.isBlank()) {
            lines.put(text);
        }
    }

    private void readErrors() throws IOException {
        try (InputStream stream = process.getErrorStream()) {
            byte[] piece = new byte[1 << 12];
            for (int count = stream.read(piece); count >= 0; count = stream.read(piece)) {
                errors.add(piece, count);
            }
        }
    }

    /** Says a line to it. */
    void say(String line) throws IOException, InterruptedException {
        try {
            input.write(line);
            input.write('\n');
            input.flush();
        } catch (IOException e) {
            throw gone();
        }
    }

    /** Waits for its next line. */
    String hear() throws IOException, InterruptedException {
        String line = lines.take();
        if (line.equals(END)) {
            lines.put(END); // for the next call
            throw gone();
        }
        return line;
    }

    /** Says a text to it, and waits for its end and all that it says. */
    String whole(String text) throws IOException, InterruptedException {
        try {
            input.write(text);
            input.close();
        } catch (IOException e) {
            // it does not read
        }
        StringBuilder said = new StringBuilder();
        for (String line = lines.take(); !line.equals(END); line = lines.take()) {
            said.append(said.isEmpty() ? "" : "\n").append(line);
            if (said.length() > MOST_CHARACTERS) {
                throw new IOException("the agent says more than " + (MOST_CHARACTERS >> 20) + " million characters");
            }
        }
        if (process.waitFor() != 0) {
            throw gone();
        }
        return said.toString();
    }

    private IOException gone() throws InterruptedException {
        String how = process.waitFor(GRACE_MILLIS, TimeUnit.MILLISECONDS)
                ? "has ended with exit code " + process.exitValue()
                : "has closed its output";
        errorReader.join(GRACE_MILLIS);
        String said = errors.text().strip();
        return new IOException("the agent " + how + (said.isEmpty() ? "" : ": " + said));
    }

    /** Ends it and what it has started: its input's end tells it, and after a moment it is killed. */
    @Override
    public void close() {
        try {
            input.close();
        } catch (IOException e) {
            // it has ended
        }
        try {
            process.waitFor(GRACE_MILLIS / 4, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }
}
