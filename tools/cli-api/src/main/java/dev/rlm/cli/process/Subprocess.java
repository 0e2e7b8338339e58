package dev.rlm.cli.process;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** A program that was started, with this process's input. The end of its output is kept where it is not inherited. */
public final class Subprocess {
    /** Time that it has by default to heed a signal. */
    public static final Duration GRACE = Duration.ofSeconds(2);

    /** Variable by which a process is known to be of its family, also where its parents have ended; families lie in families. */
    private static final String FAMILY = "_RLM_FAMILY";

    private static final Path PROCESSES = Path.of("/proc");
    private static final int NOT_EXECUTABLE = 126; // as a shell has it
    private static final int NOT_FOUND = 127;

    private final Process process;
    private final String mark; // in the environment of all that it starts
    private final OutputTail out = new OutputTail();
    private final OutputTail err = new OutputTail();
    private final List<Thread> pumps = new ArrayList<>();
    private final Set<ProcessHandle> family = new LinkedHashSet<>();

    private Subprocess(Process process, String mark) {
        this.process = process;
        this.mark = mark;
    }

    /** Ways of its output. */
    public enum Output {
        /** To this process's own, with no end kept: a program at a terminal finds the terminal there. */
        INHERITED,
        /** To this process's own as it comes. */
        PASSED_ON,
        /** Nowhere; only what it says besides is passed on. */
        KEPT,
        /** As that; and its input is none of this process's, and ends with this process. */
        BOUND
    }

    /**
     * Starts one.
     *
     * @param variables added to this process's environment
     * @throws IOException if it cannot be started
     */
    public static Subprocess start(List<String> command, Map<String, String> variables, Output output)
            throws IOException {
        return start(command, environment -> environment.putAll(variables), output);
    }

    /**
     * Starts one.
     *
     * @param changes of this process's environment, that are the program's
     * @throws IOException if it cannot be started: see {@link #exitCode(IOException)}
     */
    public static Subprocess start(List<String> command, Consumer<Map<String, String>> changes, Output output)
            throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command).inheritIO();
        if (output != Output.INHERITED) {
            builder.redirectOutput(ProcessBuilder.Redirect.PIPE).redirectError(ProcessBuilder.Redirect.PIPE);
        }
        if (output == Output.BOUND) {
            builder.redirectInput(ProcessBuilder.Redirect.PIPE);
        }
        changes.accept(builder.environment());
        String mark = UUID.randomUUID().toString();
        builder.environment().merge(FAMILY, mark, (outer, own) -> outer + " " + own);
        Subprocess started = new Subprocess(builder.start(), mark);
        if (output != Output.INHERITED) {
            OutputStream out = output != Output.PASSED_ON
                    ? OutputStream.nullOutputStream()
                    : new FileOutputStream(FileDescriptor.out); // never closed: it is this process's, as is the next
            started.pump(started.process.getInputStream(), out, started.out);
            started.pump(started.process.getErrorStream(), new FileOutputStream(FileDescriptor.err), started.err);
        }
        return started;
    }

    private void pump(InputStream from, OutputStream to, OutputTail tail) {
        Thread thread = new Thread(
                () -> {
                    try (from) { // if the reader has gone, as in `… | head`, the program is told so
                        byte[] piece = new byte[1 << 13];
                        for (int read = from.read(piece); read >= 0; read = from.read(piece)) {
                            tail.add(piece, read);
                            to.write(piece, 0, read);
                        }
                    } catch (IOException e) {
                        // it has ended, or the reader has gone
                    }
                },
                "rlm-subprocess-output");
        thread.setDaemon(true);
        thread.start();
        pumps.add(thread);
    }

    /**
     * Waits for its end.
     *
     * @return its exit code; 128 and the number of the signal where one ended it
     * @throws TimeoutException if it has not ended in that time
     */
    public int await(Duration time) throws InterruptedException, TimeoutException {
        if (!process.waitFor(time.toNanos(), TimeUnit.NANOSECONDS)) {
            throw new TimeoutException();
        }
        for (Thread pump : pumps) {
            pump.join(GRACE.toMillis()); // processes that it has left behind may hold its output open
        }
        return process.exitValue();
    }

    /** Returns whether it runs; notes what it has started so far. */
    public boolean isRunning() {
        family.removeIf(each -> !each.isAlive());
        process.descendants().forEach(family::add);
        return process.isAlive();
    }

    /** Returns its exit code once it has ended; 128 and the number of the signal where one ended it. */
    public int exitCode() {
        return process.exitValue();
    }

    /** Returns how many of the processes that it is known to have started run still. */
    public long countLeftBehind() {
        look();
        return family.stream()
                .filter(each -> each.pid() != process.pid() && each.isAlive())
                .count();
    }

    /** Ends it and all that it has started: by a signal, then by force. Takes seconds at the most, mostly none. */
    public void end() {
        end(GRACE);
    }

    /** Ends it and all that it has started: by a signal, then after that time by force. */
    public void end(Duration grace) {
        look();
        family.forEach(ProcessHandle::destroy);
        long by = System.nanoTime() + grace.toNanos();
        for (ProcessHandle each : family) {
            each.onExit()
                    .handle((ended, failed) -> ended)
                    .completeOnTimeout(each, Math.max(0, by - System.nanoTime()), TimeUnit.NANOSECONDS)
                    .join();
        }
        look();
        for (int known = 0; known < family.size(); look()) { // what starts another for each that ends may end after it
            known = family.size();
            family.forEach(ProcessHandle::destroyForcibly);
        }
    }

    /** Notes what its children have started, which is theirs no more once they have ended; on Linux also what has left them before. */
    private void look() {
        family.add(process.toHandle());
        List.copyOf(family).stream()
                .flatMap(each -> Stream.concat(each.children(), each.descendants()))
                .forEach(family::add);
        if (Files.isDirectory(PROCESSES)) {
            ProcessHandle.allProcesses().filter(this::isMarked).forEach(family::add);
        }
    }

    private boolean isMarked(ProcessHandle other) {
        try {
            Path environment = PROCESSES.resolve(String.valueOf(other.pid())).resolve("environ");
            return Files.readString(environment, StandardCharsets.ISO_8859_1).contains(mark);
        } catch (IOException e) {
            return false; // it has ended, or is another user's
        }
    }

    /** Returns the exit code, as a shell has it, of a command that could not be started. */
    public static int exitCode(IOException unstarted) {
        return isMissing(unstarted) ? NOT_FOUND : NOT_EXECUTABLE;
    }

    /** Returns why a command could not be started, for people. */
    public static String message(List<String> command, IOException unstarted) {
        return "'" + command.get(0) + "' cannot be started: "
                + (isMissing(unstarted) ? "there is no such program" : "it is not executable");
    }

    private static boolean isMissing(IOException unstarted) {
        return String.valueOf(unstarted.getMessage()).contains("error=2,");
    }

    /** Returns the end of its output. */
    public String output() {
        return out.text();
    }

    /** Returns the end of what it said besides. */
    public String errors() {
        return err.text();
    }
}
