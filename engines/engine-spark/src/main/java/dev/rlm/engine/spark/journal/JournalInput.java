package dev.rlm.engine.spark.journal;

import dev.rlm.cli.UsageException;
import dev.rlm.journal.Journal;
import dev.rlm.runs.exchange.tables.ExportedTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Journals and exports at a path that is to be read.
 *
 * @param folder the path
 * @param journals folders of journals
 * @param exports folders with Parquet tables
 */
record JournalInput(Path folder, List<Path> journals, List<Path> exports) {
    private static final int DEPTH = 8;
    private static final String ALLOWED = "expected the folder of a journal, a folder with journals below it,"
            + " or a folder with the tables of rlm export --format parquet";

    /**
     * Finds it.
     *
     * @throws UsageException if there is nothing to read
     */
    static JournalInput at(Path folder) {
        if (!Files.isDirectory(folder)) {
            throw new UsageException(
                    (Files.exists(folder) ? folder + " is not a folder" : "there is no folder " + folder) + ": "
                            + ALLOWED);
        }
        JournalInput found = new JournalInput(folder, new ArrayList<>(), new ArrayList<>());
        try {
            found.find(folder, DEPTH);
        } catch (IOException e) {
            throw new UsageException(folder + " cannot be read: " + e, e);
        }
        if (found.journals.isEmpty() && found.exports.isEmpty()) {
            throw new UsageException("no run was recorded in " + folder + ": " + ALLOWED);
        }
        return found;
    }

    /** Returns the place of a table in a folder of an export. */
    static Path file(Path export, ExportedTable table) {
        return export.resolve(table.label() + ".parquet");
    }

    private void find(Path place, int depth) throws IOException {
        if (Journal.isAt(place)) {
            journals.add(place);
        } else if (Files.exists(file(place, ExportedTable.RUNS))) {
            exports.add(place);
        } else if (depth > 0) {
            List<Path> below;
            try (Stream<Path> entries = Files.list(place)) {
                below = entries.filter(entry -> Files.isDirectory(entry) && !Files.isSymbolicLink(entry))
                        .sorted()
                        .toList();
            }
            for (Path next : below) {
                find(next, depth - 1);
            }
        }
    }
}
