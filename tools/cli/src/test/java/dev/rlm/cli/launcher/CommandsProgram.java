package dev.rlm.cli.launcher;

import dev.rlm.cli.testkit.Cli;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Program that does many commands of {@code rlm} in its working folder, each on a line of a file, and prints what each came to. */
final class CommandsProgram {
    /** Between the words of a command. */
    static final String BETWEEN = "\u001f";

    private static final int ANSWERS = 1_000; // to questions

    private CommandsProgram() {}

    public static void main(String[] args) throws IOException {
        for (String line : Files.readAllLines(Path.of(args[0]))) {
            InputStream answers = new ByteArrayInputStream("y\n".repeat(ANSWERS).getBytes(StandardCharsets.UTF_8));
            String[] command = line.split(BETWEEN);
            removeOutput(List.of(command));
            Cli done = Cli.with(Map.of(), answers, command);
            String said = done.err().lines().findFirst().orElse("");
            System.out.println(done.exitCode() + " rlm " + line.replace(BETWEEN, " ") + " -> " + said);
        }
    }

    /** Removes what an earlier command has written to the place where this one writes. */
    private static void removeOutput(List<String> command) throws IOException {
        int option = command.indexOf("--output");
        if (option >= 0 && Files.exists(Path.of(command.get(option + 1)))) {
            try (Stream<Path> files = Files.walk(Path.of(command.get(option + 1)))) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
        }
    }
}
