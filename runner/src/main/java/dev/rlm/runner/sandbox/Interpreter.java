package dev.rlm.runner.sandbox;

import dev.rlm.runner.sandbox.SandboxReply.Kind;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A running interpreter in its sandbox. For one thread, which has to outlive it: the system ends the sandbox with the thread
 * that started it. An interrupt of that thread ends the interpreter.
 */
public final class Interpreter implements AutoCloseable {
    private static final String HELLO = "rlm-python 1\n";
    private static final Duration START_TIME = Duration.ofSeconds(30);
    private static final Duration GRACE = Duration.ofSeconds(5); // for the harness, which sees to the limits itself
    private static final int MAX_COMPLAINT = 2_000;
    private static final String HARNESS = harness();

    private final Process process;
    private final SandboxedPython python;
    private final Duration timeout;
    private final WorkFolder folder;

    private Interpreter(Process process, SandboxedPython python, Duration timeout, WorkFolder folder) {
        this.process = process;
        this.python = python;
        this.timeout = timeout;
        this.folder = folder;
    }

    /**
     * Starts one.
     *
     * @throws IOException if it does not start; the message says what it said
     */
    static Interpreter start(SandboxedPython python, Duration timeout, List<Mount> mounts)
            throws IOException, InterruptedException {
        List<String> command = command(python, timeout, mounts);
        WorkFolder folder = WorkFolder.of(python.sandbox());
        ProcessBuilder builder =
                new ProcessBuilder(command).directory(folder.path().toFile()).redirectErrorStream(true);
        builder.environment().clear();
        builder.environment().putAll(variables(python.python, folder));
        Interpreter interpreter;
        try {
            interpreter = new Interpreter(builder.start(), python, timeout, folder);
        } catch (IOException e) {
            folder.close();
            throw e;
        }
        interpreter.awaitHello();
        return interpreter;
    }

    private static List<String> command(SandboxedPython python, Duration timeout, List<Mount> mounts)
            throws IOException {
        List<String> command = new ArrayList<>(python.sandbox().enter(python.environment, python.python, mounts));
        command.addAll(List.of(python.python.executable().toString(), "-I", "-u", "-c", HARNESS));
        command.addAll(python.options().arguments(timeout));
        command.add(python.sandbox().label());
        return command;
    }

    /** All that the code sees of variables. */
    private static Map<String, String> variables(Python python, WorkFolder folder) {
        String home = folder.nameInside();
        Path programs = Objects.requireNonNull(python.executable().getParent());
        return Map.of("PATH", programs + ":/usr/bin:/bin", "HOME", home, "TMPDIR", home, "LANG", "C.UTF-8");
    }

    private void awaitHello() throws IOException, InterruptedException {
        byte[] hello = HELLO.getBytes(StandardCharsets.UTF_8);
        InputStream in = process.getInputStream();
        try {
            String said = within(START_TIME, () -> new String(in.readNBytes(hello.length), StandardCharsets.UTF_8));
            if (!said.equals(HELLO)) {
                String rest =
                        within(START_TIME, () -> new String(in.readNBytes(MAX_COMPLAINT), StandardCharsets.UTF_8));
                close();
                throw new IOException((said + rest).strip());
            }
        } catch (TimeoutException e) {
            throw new IOException("it does not start within " + START_TIME.toSeconds() + " s", e);
        }
    }

    /** Runs a piece of code. After a {@linkplain Kind#isLoss loss} the interpreter is of no more use. */
    public SandboxReply run(String code) throws InterruptedException {
        try {
            return within(timeout.plus(GRACE), () -> exchange(code));
        } catch (TimeoutException e) {
            return SandboxReply.lost(Kind.LATE, "", "ran longer than " + ExecutionOptions.seconds(timeout) + " s");
        } catch (IOException e) {
            close();
            return SandboxReply.lost(Kind.DIED, "", "ended its sandbox");
        }
    }

    private SandboxReply exchange(String code) throws IOException {
        byte[] text = code.getBytes(StandardCharsets.UTF_8);
        OutputStream stream = process.getOutputStream();
        DataOutputStream out = new DataOutputStream(stream);
        out.writeInt(text.length);
        out.write(text);
        out.flush();
        return SandboxReply.read(new DataInputStream(process.getInputStream()));
    }

    /** Talks with the process on a thread that may be left waiting, since nothing else ends a read; it ends with the process. */
    private <T> T within(Duration time, Callable<T> talk) throws IOException, InterruptedException, TimeoutException {
        FutureTask<T> task = new FutureTask<>(talk);
        Thread thread = new Thread(task, "rlm-python");
        thread.setDaemon(true);
        thread.start();
        try {
            return task.get(time.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IOException broken ? broken : new IOException(e.getCause());
        } catch (InterruptedException | TimeoutException e) {
            close();
            throw e;
        }
    }

    /** Ends it and all that it has started. Takes seconds at the most, mostly none, also on an interrupted thread. */
    @Override
    public void close() {
        ProcessHandle handle = process.toHandle(); // process.destroy() would close streams, which may wait
        if (python.sandbox() == Sandbox.NONE && handle.isAlive()) {
            handle.destroy(); // the harness knows its own, also those that have left its descendants
            await();
            handle.descendants().forEach(ProcessHandle::destroyForcibly);
        }
        handle.destroyForcibly();
        await();
        folder.close();
    }

    private void await() {
        process.onExit().completeOnTimeout(process, 2, TimeUnit.SECONDS).join();
    }

    private static String harness() {
        try (InputStream in = Objects.requireNonNull(Interpreter.class.getResourceAsStream("harness.py"))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
