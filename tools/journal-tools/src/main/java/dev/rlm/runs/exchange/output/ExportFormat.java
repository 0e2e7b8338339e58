package dev.rlm.runs.exchange.output;

import java.io.IOException;
import java.util.List;

/** A format in which runs are exported: one of this package, or one that a sink writes. */
public interface ExportFormat {
    /** Returns the word that users choose it by. */
    String name();

    /** Returns the files that it makes in a folder; none where it makes a single one. */
    default List<String> tables() {
        return List.of();
    }

    /** Returns whether it writes files into a folder whose names follow from the runs. */
    default boolean isFolder() {
        return false;
    }

    /** Writes the runs, and counts what was written and what was left out. An interrupt of the thread ends it. */
    void write(Export export) throws IOException;
}
