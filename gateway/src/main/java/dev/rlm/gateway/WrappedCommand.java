package dev.rlm.gateway;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/** A program that was started, with this process's input. The end of its output is kept where it is not inherited. */
final class WrappedCommand {
    private static final Duration GRACE = Duration.ofSeconds(2);

    private final Process process;
    private final OutputTail out = new OutputTail();
    private final OutputTail err = new OutputTail();
    private final List<Thread> pumps = new ArrayList<>();

    private WrappedCommand(Process process) {
        this.process = process;
    }

    /** Ways of its output. */
    enum Output {
        /** To this process's own, with no end kept: a program at a terminal finds the terminal there. */
        INHERITED,
        /** To this process's own as it comes. */
        PASSED_ON,
        /** Nowhere; only what it says besides is passed on. */
        KEPT
    }

    /**
     * Starts one.
     *
     * @param variables added to this process's environment
     * @throws IOException if it cannot be started
     */
    static WrappedCommand start(List<String> command, Map<String, String> variables, Output output) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command).inheritIO();
        if (output != Output.INHERITED) {
            builder.redirectOutput(ProcessBuilder.Redirect.PIPE).redirectError(ProcessBuilder.Redirect.PIPE);
        }
        builder.environment().putAll(variables);
        WrappedCommand started = new WrappedCommand(builder.start());
        if (output != Output.INHERITED) {
            OutputStream out = output == Output.KEPT
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
                    try (from) { // where nobody reads on, as in `… | head`, the program is told so
                        byte[] piece = new byte[1 << 13];
                        for (int read = from.read(piece); read >= 0; read = from.read(piece)) {
                            tail.add(piece, read);
                            to.write(piece, 0, read);
                        }
                    } catch (IOException e) {
                        // it has ended, or nobody reads
                    }
                },
                "rlm-wrap-output");
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
    int await(Duration time) throws InterruptedException, TimeoutException {
        if (!process.waitFor(time.toNanos(), TimeUnit.NANOSECONDS)) {
            throw new TimeoutException();
        }
        for (Thread pump : pumps) {
            pump.join(GRACE.toMillis()); // whoever it has left behind may hold its output open
        }
        return process.exitValue();
    }

    /** Ends it and all that it has started: by a signal, then by force. Takes seconds at the most, mostly none. */
    void end() {
        Set<ProcessHandle> family = new LinkedHashSet<>();
        look(family);
        family.forEach(ProcessHandle::destroy);
        long by = System.nanoTime() + GRACE.toNanos();
        for (ProcessHandle each : family) {
            each.onExit()
                    .handle((ended, failed) -> ended)
                    .completeOnTimeout(each, Math.max(0, by - System.nanoTime()), TimeUnit.NANOSECONDS)
                    .join();
        }
        look(family);
        family.forEach(ProcessHandle::destroyForcibly);
    }

    /** What its children have started is theirs no more once they have ended. */
    private void look(Set<ProcessHandle> family) {
        family.add(process.toHandle());
        List.copyOf(family).stream()
                .flatMap(each -> Stream.concat(each.children(), each.descendants()))
                .forEach(family::add);
    }

    /** Returns the end of its output. */
    String output() {
        return out.text();
    }

    /** Returns the end of what it said besides. */
    String errors() {
        return err.text();
    }
}
