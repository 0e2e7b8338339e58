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
 * A contender that is a program: a class with a {@code main} that prints a {@link Sample}. What it writes to standard error
 * is told only where it fails.
 *
 * @param options of its JVM
 */
public record Fork(String name, List<String> options, Class<?> program, List<String> arguments) implements Contender {
    private static final long MOST_SECONDS = 180;

    public Fork {
        options = List.copyOf(options);
        arguments = List.copyOf(arguments);
    }

    /** One in a JVM with the given heap, such as {@code 1g}, from its start. */
    public static Fork of(String name, String heap, Class<?> program, String... arguments) {
        return new Fork(name, List.of("-Xms" + heap, "-Xmx" + heap), program, List.of(arguments));
    }

    /** The same in a JVM that waits while code is compiled, and so is warm early: see {@link JmhFork}. */
    public Fork waitingForCompiler() {
        return new Fork(
                name, Stream.concat(options.stream(), Stream.of("-Xbatch")).toList(), program, arguments);
    }

    @Override
    public Sample measure() {
        try {
            return measure(new ProcessBuilder(command()).start());
        } catch (IOException e) {
            throw new FigureException(name + ": " + e.getMessage());
        }
    }

    /** How to start it: with this process's Java and class path. */
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
