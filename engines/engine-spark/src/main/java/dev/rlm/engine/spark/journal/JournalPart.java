package dev.rlm.engine.spark.journal;

import dev.rlm.journal.Journal;
import dev.rlm.journal.index.IndexCache;
import dev.rlm.sinks.SinkConfig;
import java.nio.file.Path;
import java.util.List;
import org.apache.spark.sql.connector.read.InputPartition;
import org.jspecify.annotations.Nullable;

/**
 * Part of a journal: the records of some of its writers. Paths are texts, because they are sent to other processes.
 *
 * @param writers their folders
 * @param index the folder of the journal's indexes, or {@code none}; {@code null} for what the environment says
 */
record JournalPart(
        String journal, List<String> writers, @Nullable String index) implements InputPartition {
    private static final long serialVersionUID = 1;

    Journal open() {
        SinkConfig config = SinkConfig.system();
        return Journal.open(
                Path.of(journal),
                writers.stream().map(Path::of).toList(),
                IndexCache.configured(index == null ? config : config.with(IndexCache.VARIABLE, index)));
    }
}
