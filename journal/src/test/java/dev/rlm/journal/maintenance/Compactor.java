package dev.rlm.journal.maintenance;

import dev.rlm.journal.Journal;
import dev.rlm.journal.index.IndexCache;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A process that merges the folders of a journal, or indexes it. */
final class Compactor {
    private Compactor() {}

    /** One that is started by another program. */
    static Process start(List<String> wrapper, Path directory) throws IOException {
        return start(wrapper, List.of(directory.toString()));
    }

    /** One that reads the journal, and keeps its indexes in a folder. */
    static Process startIndexing(List<String> wrapper, Path directory, Path indexes) throws IOException {
        return start(wrapper, List.of(directory.toString(), indexes.toString()));
    }

    private static Process start(List<String> wrapper, List<String> arguments) throws IOException {
        List<String> command = new ArrayList<>(wrapper);
        command.addAll(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:-UsePerfData",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                Compactor.class.getName()));
        command.addAll(arguments);
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    public static void main(String[] args) {
        Path directory = Path.of(args[0]);
        if (args.length > 1) {
            Journal.open(directory, IndexCache.in(Path.of(args[1])));
        } else if (!new JournalCompaction(directory, IndexCache.NONE)
                .compact()
                .problems()
                .isEmpty()) {
            System.exit(1);
        }
    }
}
