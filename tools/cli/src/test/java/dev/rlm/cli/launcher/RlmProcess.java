package dev.rlm.cli.launcher;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.Awaitility;

/** The program as a process of its own, in a folder that takes its streams. Of RLM_ variables it sees those given. */
public final class RlmProcess implements AutoCloseable {
    private static final Set<String> OTHERS = Set.of("JAVA_TOOL_OPTIONS", "TRACEPARENT", "TRACESTATE", "BAGGAGE");

    private static final int PATIENCE_SECONDS = 300;

    private final Path folder;
    private final Process process;

    private RlmProcess(Path folder, Process process) {
        this.folder = folder;
        this.process = process;
    }

    public static RlmProcess start(Path folder, Map<String, String> variables, String... arguments) throws IOException {
        return start(folder, variables, Main.class, arguments);
    }

    /** Another program of this class path in the place of {@code rlm}. */
    public static RlmProcess start(Path folder, Map<String, String> variables, Class<?> program, String... arguments)
            throws IOException {
        return start(folder, variables, List.of(), program.getName(), arguments);
    }

    /** One that is started with options of Java's, which count before the usual ones: a class, or a file of source. */
    public static RlmProcess start(
            Path folder, Map<String, String> variables, List<String> options, String program, String... arguments)
            throws IOException {
        return startUnder(List.of(), folder, variables, options, program, arguments);
    }

    /** One that another program starts, such as strace, whose command it is. */
    public static RlmProcess startUnder(
            List<String> starter,
            Path folder,
            Map<String, String> variables,
            List<String> options,
            String program,
            String... arguments)
            throws IOException {
        // A signal that the build ignores (as in the background of a script) would be ignored by its children too.
        List<String> command = new ArrayList<>(List.of("env", "--default-signal=INT"));
        command.addAll(starter);
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-XX:TieredStopAtLevel=1"); // over before code that is optimised pays
        command.addAll(List.of("-cp", System.getProperty("java.class.path")));
        command.addAll(options);
        command.add(program);
        command.addAll(Arrays.asList(arguments));
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectOutput(folder.resolve("out").toFile())
                .redirectError(folder.resolve("err").toFile());
        builder.environment()
                .keySet()
                .removeIf(name -> name.startsWith("RLM_") || name.startsWith("OTEL_") || OTHERS.contains(name));
        builder.environment().putAll(variables);
        return new RlmProcess(folder, builder.start());
    }

    /** Waits for its end, which is to be a good one. */
    public RlmProcess awaitSuccess() throws IOException, InterruptedException {
        if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            throw new AssertionError("it has not ended in " + PATIENCE_SECONDS + " s: " + err());
        }
        if (process.exitValue() != 0) {
            throw new AssertionError("exit " + process.exitValue() + ": " + err());
        }
        return this;
    }

    /** Waits until that is so, which it must be before the process ends. */
    public void await(Callable<Boolean> condition) throws IOException {
        Awaitility.await()
                .atMost(Duration.ofSeconds(PATIENCE_SECONDS))
                .until(() -> condition.call() || !process.isAlive());
        if (!process.isAlive()) {
            throw new AssertionError("it has ended before, exit " + process.exitValue() + ": " + err());
        }
    }

    /** Whether it has a file in that folder open. On Linux only. */
    public boolean isReading(Path folder) throws IOException {
        try (Stream<Path> open = Files.list(Path.of("/proc", String.valueOf(process.pid()), "fd"))) {
            return open.map(RlmProcess::target).anyMatch(file -> file.startsWith(folder));
        } catch (NoSuchFileException e) {
            return false; // it has ended
        }
    }

    private static Path target(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor);
        } catch (IOException e) {
            return descriptor; // it has been closed
        }
    }

    /** Sends it a signal, by its name. */
    public void signal(String name) throws IOException, InterruptedException {
        if (new ProcessBuilder("kill", "-" + name, String.valueOf(process.pid()))
                        .start()
                        .waitFor()
                != 0) {
            throw new AssertionError("no signal can be sent to it");
        }
    }

    public Process process() {
        return process;
    }

    public String out() throws IOException {
        return Files.readString(folder.resolve("out"));
    }

    public String err() throws IOException {
        return Files.readString(folder.resolve("err"));
    }

    @Override
    public void close() {
        process.descendants().forEach(ProcessHandle::destroyForcibly); // of its starter
        process.destroyForcibly();
    }
}
