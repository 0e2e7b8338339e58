package dev.rlm.sinks.jsonl;

import dev.rlm.sinks.jsonl.segment.LineFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;

/** Reads which runs have a line in a writer's file of ended runs. */
final class SummaryFile {
    private SummaryFile() {}

    static Set<String> runIds(Path folder) throws IOException {
        Set<String> ids = new HashSet<>();
        LineFile.read(folder.resolve(JournalFolder.SUMMARIES), (bytes, from, length) -> {
            try {
                ids.add(Fields.parse(bytes, from, length).text("run_id"));
            } catch (RuntimeException e) {
                // a damaged line: the run is given another
            }
        });
        return ids;
    }
}
