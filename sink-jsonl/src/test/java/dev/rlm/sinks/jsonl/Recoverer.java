package dev.rlm.sinks.jsonl;

import java.io.IOException;
import java.nio.file.Path;

/** A process that recovers a journal. */
final class Recoverer {
    private Recoverer() {}

    static Process start(Path directory) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Recoverer.class.getName(),
                        directory.toString())
                .inheritIO()
                .start();
    }

    public static void main(String[] args) {
        System.exit(Recovery.recover(Path.of(args[0])).problems().size());
    }
}
