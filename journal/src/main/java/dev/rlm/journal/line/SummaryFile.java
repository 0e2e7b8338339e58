package dev.rlm.journal.line;

import dev.rlm.journal.format.JournalFolder;
import dev.rlm.journal.format.segment.LineFile;
import dev.rlm.journal.format.segment.NotRegularFileException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads which runs have a line in a writer's file of ended runs. */
public final class SummaryFile {
    private static final Logger LOG = LoggerFactory.getLogger("dev.rlm.journal");
    private static final byte[] BEGINNING = HeadScan.beginning("{\"timestamp\":\"");
    private static final byte[] RUN_ID = HeadScan.beginning(",\"run_id\":\"");

    private SummaryFile() {}

    public static Set<String> runIds(Path folder) throws IOException {
        Set<String> ids = new HashSet<>();
        try {
            LineFile.read(folder.resolve(JournalFolder.SUMMARIES), (bytes, from, length) -> {
                if (wholeEnd(bytes, from, from + length) == from + length) {
                    add(ids, bytes, from, length);
                }
            });
        } catch (NotRegularFileException e) {
            LOG.warn("{}; it is passed over", e.getMessage()); // the events tell the same
        }
        return ids;
    }

    /** Returns the index behind the whole line that begins there, without its line feed; negative if there is none. */
    public static int wholeEnd(byte[] bytes, int from, int to) {
        return LineHead.wholeEnd(BEGINNING, bytes, from, to);
    }

    private static void add(Set<String> ids, byte[] bytes, int from, int length) {
        HeadScan scan = new HeadScan(bytes, from, from + length);
        scan.text(BEGINNING);
        String runId = scan.text(RUN_ID);
        try {
            ids.add(scan.isOver() ? Fields.parse(bytes, from, length).text("run_id") : runId);
        } catch (RuntimeException e) {
            // a line without an id: the run is given another
        }
    }
}
