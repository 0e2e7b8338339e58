package dev.rlm.sinks.jsonl;

import dev.rlm.sinks.jsonl.segment.LineFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;

/** Reads which runs have a line in a writer's file of ended runs. */
final class SummaryFile {
    private static final String BEGINNING = "{\"timestamp\":\"";
    private static final byte[] BEGINNING_BYTES = BEGINNING.getBytes(StandardCharsets.US_ASCII);

    private SummaryFile() {}

    static Set<String> runIds(Path folder) throws IOException {
        Set<String> ids = new HashSet<>();
        LineFile.read(folder.resolve(JournalFolder.SUMMARIES), (bytes, from, length) -> {
            if (wholeEnd(bytes, from, from + length) == from + length) {
                add(ids, bytes, from, length);
            }
        });
        return ids;
    }

    /** Where the whole line ends that begins there, as an index; negative where none does. */
    static int wholeEnd(byte[] bytes, int from, int to) {
        return LineHead.wholeEnd(BEGINNING_BYTES, bytes, from, to);
    }

    private static void add(Set<String> ids, byte[] bytes, int from, int length) {
        HeadScan scan = new HeadScan(bytes, from, from + length);
        scan.text(BEGINNING);
        String runId = scan.text(",\"run_id\":\"");
        try {
            ids.add(scan.isOver() ? Fields.parse(bytes, from, length).text("run_id") : runId);
        } catch (RuntimeException e) {
            // a line without an id: the run is given another
        }
    }
}
