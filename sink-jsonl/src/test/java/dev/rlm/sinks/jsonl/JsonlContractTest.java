package dev.rlm.sinks.jsonl;

import dev.rlm.journal.format.JournalFolder;
import dev.rlm.journal.format.segment.LineFile;
import dev.rlm.journal.format.segment.Segment;
import dev.rlm.sinks.Sink;
import dev.rlm.sinks.testkit.SinkContractTest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.io.TempDir;

class JsonlContractTest extends SinkContractTest {
    private static final String HEAD = "{\"type\":\"journal\"";

    @TempDir
    Path directory;

    @Override
    protected Sink newSink() {
        return JsonlSink.builder().directory(directory).build();
    }

    @Override
    protected String everythingWritten() throws IOException {
        StringBuilder all = new StringBuilder();
        LineFile.Lines append =
                (bytes, from, length) -> all.append(new String(bytes, from, length, StandardCharsets.UTF_8))
                        .append('\n');
        for (Path writer : JournalFolder.writers(directory)) {
            LineFile.read(writer.resolve(JournalFolder.SUMMARIES), append);
            for (Segment segment : Segment.of(writer)) {
                segment.read(0, append);
            }
        }
        return all.toString();
    }

    /** Distinct lines of each writer, as readers take them: an interrupt makes the journal write a batch again in another file. */
    @Override
    protected OptionalLong arrived() throws IOException {
        Set<String> lines = new HashSet<>();
        for (Path folder : JournalFolder.writers(directory)) {
            for (Segment segment : Segment.of(folder)) {
                String[] writer = {folder.toString()};
                segment.read(0, (bytes, from, length) -> {
                    String line = new String(bytes, from, length, StandardCharsets.UTF_8);
                    if (!line.startsWith(HEAD)) {
                        lines.add(writer[0] + line);
                    } else if (line.contains("\"writer\"")) {
                        writer[0] = line;
                    }
                });
            }
        }
        return OptionalLong.of(lines.size());
    }
}
