package dev.rlm.journal.recovery;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A process that recovers a journal. */
public final class Recoverer {
    private Recoverer() {}

    public static Process start(Path directory) throws IOException {
        return new ProcessBuilder(command(directory)).inheritIO().start();
    }

    /** One that is started by another program. */
    public static Process start(List<String> wrapper, Path directory) throws IOException {
        List<String> command = new ArrayList<>(wrapper);
        command.addAll(command(directory));
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    /** One that can make no file longer than that. */
    static Process startWithin(int kibibytes, Path directory) throws IOException {
        List<String> command =
                new ArrayList<>(List.of("bash", "-c", "ulimit -f " + kibibytes + "; exec \"$@\"", "bash"));
        command.addAll(command(directory));
        return new ProcessBuilder(command).inheritIO().start();
    }

    private static List<String> command(Path directory) {
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:-UsePerfData", // which is a file too
                "-XX:TieredStopAtLevel=1", // it does not live long
                "-cp",
                System.getProperty("java.class.path"),
                Recoverer.class.getName(),
                directory.toString());
    }

    public static void main(String[] args) {
        System.exit(Recovery.recover(Path.of(args[0])).problems().size());
    }
}
