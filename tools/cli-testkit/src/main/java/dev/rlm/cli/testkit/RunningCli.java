package dev.rlm.cli.testkit;

import dev.rlm.cli.Console;
import dev.rlm.cli.StopSignal;
import dev.rlm.cli.program.Rlm;
import dev.rlm.sinks.SinkConfig;
import java.io.IOException;
import java.io.InputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A command that runs in this process while a test goes on, such as a server. The journal of a folder is its folder {@code .rlm}, as of a
 * process that was started there; paths among the arguments have to be absolute.
 */
public final class RunningCli implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final Pattern LISTENING = Pattern.compile("listening on (https?://\\S+?:(\\d+))");

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private final PipedOutputStream pipe = new PipedOutputStream();
    private final PrintStream input = new PrintStream(pipe, true, StandardCharsets.UTF_8);
    private final Signal signal = new Signal();
    private final CompletableFuture<Integer> exitCode = new CompletableFuture<>();
    private final Thread thread;

    private RunningCli(Map<String, String> variables, String... arguments) throws IOException {
        InputStream in = new PipedInputStream(pipe, 1 << 20);
        Console console =
                new Console(in, new PrintWriter(out, true), new PrintWriter(err, true), false, "./rlm", signal);
        thread = new Thread(() -> run(console, SinkConfig.of(variables), arguments), "rlm-" + arguments[0]);
        thread.setDaemon(true);
        thread.start();
    }

    /** Starts a command with the journal of a folder, which sees no other variables than those given. */
    public static RunningCli start(Path folder, Map<String, String> variables, String... arguments) throws IOException {
        Map<String, String> all = new HashMap<>(variables);
        all.putIfAbsent("RLM_JSONL_DIR", folder.resolve(".rlm").toString());
        return new RunningCli(all, arguments);
    }

    private void run(Console console, SinkConfig config, String... arguments) {
        try {
            exitCode.complete(Rlm.execute(console, config, arguments));
        } catch (Throwable e) {
            exitCode.completeExceptionally(e);
        }
    }

    /** Returns what it reads as its standard input, which ends when this is closed. */
    public PrintStream input() {
        return input;
    }

    /** Returns the results so far. */
    public String out() {
        return out.toString();
    }

    /** Returns what it has said besides so far. */
    public String err() {
        return err.toString();
    }

    /** Returns whether it has not ended. */
    public boolean isAlive() {
        return !exitCode.isDone();
    }

    /** Waits until it listens, and returns its address, without a slash at the end. */
    public String awaitUrl() {
        await(() -> LISTENING.matcher(err()).find());
        Matcher said = LISTENING.matcher(err());
        return said.find() ? said.group(1) : "";
    }

    /** Waits until that is so, which it must be before the command ends. */
    public void await(Callable<Boolean> condition) {
        @Nullable Boolean met;
        try {
            met = Awaitility.await()
                    .atMost(PATIENCE)
                    .until(
                            () -> condition.call() ? Boolean.TRUE : isAlive() ? null : Boolean.FALSE,
                            value -> value != null);
        } catch (ConditionTimeoutException e) {
            throw new AssertionError("not so after " + PATIENCE.toSeconds() + " s; it said: " + err(), e);
        }
        if (!Boolean.TRUE.equals(met)) {
            throw new AssertionError("it has ended before, exit " + exitCode.getNow(null) + ": " + err());
        }
    }

    /** Tells it to end, as SIGTERM and Ctrl-C do, and does not wait. */
    public void tellToStop() {
        Thread teller = new Thread(signal::send, "rlm-stop");
        teller.setDaemon(true);
        teller.start();
    }

    /** Tells it to end, and returns its exit code. */
    public int stop() throws InterruptedException {
        signal.send();
        return awaitExit();
    }

    /** Waits for its end, and returns its exit code. */
    public int awaitExit() throws InterruptedException {
        try {
            return exitCode.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw new AssertionError("it threw; it said: " + err(), e.getCause());
        } catch (TimeoutException e) {
            AssertionError error =
                    new AssertionError("it has not ended in " + PATIENCE.toSeconds() + " s; it said: " + err());
            error.setStackTrace(thread.getStackTrace());
            throw error;
        }
    }

    /** Ends it, if it has not. */
    @Override
    public void close() throws InterruptedException {
        input.close();
        if (isAlive()) {
            stop();
        }
    }

    /** The end that the test brings. */
    private static final class Signal implements StopSignal {
        private final Set<Thread> hooks = new HashSet<>(); // guarded by this, as is the next
        private boolean sent;

        @Override
        public synchronized void add(Thread hook) {
            checkNotSent();
            hooks.add(hook);
        }

        @Override
        public synchronized void remove(Thread hook) {
            checkNotSent();
            hooks.remove(hook);
        }

        private void checkNotSent() {
            if (sent) {
                throw new IllegalStateException("the end has come");
            }
        }

        void send() {
            Set<Thread> started;
            synchronized (this) {
                started = sent ? Set.of() : Set.copyOf(hooks);
                sent = true;
            }
            started.forEach(Thread::start);
            try {
                for (Thread hook : started) {
                    hook.join();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
