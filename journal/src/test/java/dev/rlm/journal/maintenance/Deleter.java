package dev.rlm.journal.maintenance;

import dev.rlm.journal.Journal;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A process that deletes a run of a journal. */
public final class Deleter {
    private Deleter() {}

    /** One that is started by another program. */
    public static Process start(List<String> wrapper, Path directory, String runId) throws IOException {
        List<String> command = new ArrayList<>(wrapper);
        command.addAll(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:-UsePerfData",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                Deleter.class.getName(),
                directory.toString(),
                runId));
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    public static void main(String[] args) {
        Journal journal = Journal.open(Path.of(args[0]));
        RunsDeleted deleted =
                RunDeletion.of(journal, List.of(journal.run(args[1]))).delete(folders -> {});
        System.exit(deleted.isComplete() ? 0 : 1);
    }
}
