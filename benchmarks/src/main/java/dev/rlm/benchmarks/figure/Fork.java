package dev.rlm.benchmarks.figure;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A contender that is a program: a class with a {@code main} that prints a {@link Sample}. Its standard error is
 * reported only if it fails.
 *
 * @param options of its JVM
 */
public record Fork(String name, List<String> options, Class<?> program, List<String> arguments) implements Contender {
    /**
     * Options by which threads wait for their code to be compiled; that of caller, lane and exporter is at the same
     * time.
     */
    static final List<String> WAITING_FOR_COMPILER = List.of("-Xbatch", "-XX:CICompilerCount=4");

    private static final long MOST_SECONDS = 180;

    public Fork {
        options = List.copyOf(options);
        arguments = List.copyOf(arguments);
    }

    /** One in a JVM with the given heap, such as {@code 1g}. */
    public static Fork of(String name, String heap, Class<?> program, String... arguments) {
        return new Fork(name, heap(heap), program, List.of(arguments));
    }

    /**
     * A heap of that size whose every page has been used before: the first use of one takes a virtual machine
     * microseconds, which must not count for the thread that happens to use it.
     */
    static List<String> heap(String size) {
        return List.of("-Xms" + size, "-Xmx" + size, "-XX:+AlwaysPreTouch");
    }

    /** The same in a JVM that waits while code is compiled, and so is warm early: see {@link JmhFork}. */
    public Fork waitingForCompiler() {
        return new Fork(
                name,
                Stream.concat(options.stream(), WAITING_FOR_COMPILER.stream()).toList(),
                program,
                arguments);
    }

    @Override
    public Sample measure() {
        try {
            return measure(new ProcessBuilder(command()).start());
        } catch (IOException e) {
            throw new FigureException(name + ": " + e.getMessage());
        }
    }

    /** Returns the command that starts it, with this process's Java and class path. */
    public List<String> command() {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(options);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), program.getName()));
        command.addAll(arguments);
        return command;
    }

    private Sample measure(Process process) {
        try {
            CompletableFuture<String> output = read(process.getInputStream()::readAllBytes);
            CompletableFuture<String> trouble = read(process.getErrorStream()::readAllBytes);
            if (!process.waitFor(MOST_SECONDS, TimeUnit.SECONDS)) {
                throw new FigureException(name + ": not done after " + MOST_SECONDS + " s");
            } else if (process.exitValue() != 0) {
                throw new FigureException(name + ": " + lastLine(trouble.join()));
            }
            return Sample.read(output.join());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new FigureException("interrupted");
        } finally {
            process.destroyForcibly();
        }
    }

    private static CompletableFuture<String> read(Bytes bytes) {
        return CompletableFuture.supplyAsync(() -> {
            try {
                return new String(bytes.all(), StandardCharsets.UTF_8);
            } catch (IOException e) {
                return String.valueOf(e.getMessage());
            }
        });
    }

    private static String lastLine(String text) {
        return text.lines()
                .filter(line -> !line.startsWith("\tat "))
                .reduce((earlier, later) -> later)
                .orElse("it failed without a word");
    }

    @FunctionalInterface
    private interface Bytes {
        byte[] all() throws IOException;
    }
}
