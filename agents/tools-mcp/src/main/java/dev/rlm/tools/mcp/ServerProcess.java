package dev.rlm.tools.mcp;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A server's process with all that it has started. It sees only the variables that any program needs, and those that
 * were given. Its standard error is logged at debug, and its last lines are kept. Safe for use by several threads.
 */
final class ServerProcess implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ServerProcess.class);
    private static final int KEPT_LINES = 3;
    private static final int KEPT_CHARACTERS = 200;

    private static final Set<String> NEEDED =
            System.getProperty("os.name").toLowerCase(Locale.ROOT).startsWith("windows")
                    ? Set.of(
                            "APPDATA",
                            "COMSPEC",
                            "HOMEDRIVE",
                            "HOMEPATH",
                            "LOCALAPPDATA",
                            "PATH",
                            "PATHEXT",
                            "PROCESSOR_ARCHITECTURE",
                            "SYSTEMDRIVE",
                            "SYSTEMROOT",
                            "TEMP",
                            "TMP",
                            "USERNAME",
                            "USERPROFILE")
                    : Set.of("HOME", "LANG", "LC_ALL", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER");

    /** Time to end by itself once its input is closed, and then to heed the signal to end. */
    private static final Duration GRACE = Duration.ofSeconds(1);

    private final Process process;
    private final String label;
    private final Thread errors;
    private final Deque<String> lastLines = new ArrayDeque<>(); // guarded by itself

    private ServerProcess(Process process, String label) {
        this.process = process;
        this.label = label;
        this.errors = Threads.daemon("mcp-" + label + "-errors", this::readErrors);
    }

    static ServerProcess start(List<String> command, Map<String, String> environment, String label) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().keySet().removeIf(name -> !NEEDED.contains(name.toUpperCase(Locale.ROOT)));
        builder.environment().putAll(environment);
        ServerProcess started = new ServerProcess(builder.start(), label);
        started.errors.start();
        return started;
    }

    InputStream output() {
        return process.getInputStream();
    }

    OutputStream input() {
        return process.getOutputStream();
    }

    String label() {
        return label;
    }

    private void readErrors() {
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getErrorStream(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                LOG.debug("{}: {}", label, line);
                keep(line);
            }
        } catch (IOException e) {
            LOG.debug("{}: its standard error cannot be read", label, e);
        }
    }

    /** Keeps a line for error messages; only the last three are kept, and of each 200 characters. */
    void keep(String line) {
        if (line.isBlank()) {
            return;
        }
        String head = line.strip();
        synchronized (lastLines) {
            if (lastLines.size() == KEPT_LINES) {
                lastLines.remove();
            }
            lastLines.add(head.length() > KEPT_CHARACTERS ? head.substring(0, KEPT_CHARACTERS) + "…" : head);
        }
    }

    /** Returns the last lines that it said beside the protocol. */
    String said() {
        synchronized (lastLines) {
            return String.join(" | ", lastLines);
        }
    }

    /**
     * Returns how it ended, after a wait of up to a second for its end and another for the rest of its standard error.
     */
    String end() {
        boolean ended = false;
        try {
            ended = process.waitFor(GRACE.toMillis(), TimeUnit.MILLISECONDS);
            errors.join(GRACE.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return ended ? "it has ended with exit code " + process.exitValue() : "it has closed its output";
    }

    /** Ends it and all that it has started: politely, then by a signal, then by force. */
    @Override
    public void close() {
        Set<ProcessHandle> family = new LinkedHashSet<>();
        look(family);
        Threads.daemon("mcp-" + label + "-end", this::closeInput).start(); // who writes to it may hold it until the end
        if (!isOver(family)) {
            look(family);
            family.forEach(ProcessHandle::destroy);
            if (!isOver(family)) {
                look(family);
                family.forEach(ProcessHandle::destroyForcibly);
            }
        }
    }

    /** The protocol's word for the end. */
    private void closeInput() {
        try {
            process.getOutputStream().close();
        } catch (IOException e) {
            LOG.debug("{}: its input cannot be closed", label, e);
        }
    }

    /**
     * Adds the process and its descendants. Those of a child that has ended are found no more, so the family keeps
     * them.
     */
    private void look(Set<ProcessHandle> family) {
        family.add(process.toHandle());
        family.addAll(Stream.concat(
                        process.descendants(), family.stream().toList().stream().flatMap(ProcessHandle::descendants))
                .collect(Collectors.toSet()));
    }

    private static boolean isOver(Set<ProcessHandle> family) {
        long by = System.nanoTime() + GRACE.toNanos();
        boolean interrupted = false;
        for (ProcessHandle member : family) {
            try {
                member.onExit().get(Math.max(0, by - System.nanoTime()), TimeUnit.NANOSECONDS);
            } catch (InterruptedException e) {
                interrupted = true;
            } catch (ExecutionException | TimeoutException e) {
                break;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return family.stream().noneMatch(ProcessHandle::isAlive);
    }
}
