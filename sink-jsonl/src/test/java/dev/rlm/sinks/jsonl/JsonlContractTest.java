package dev.rlm.sinks.jsonl;

import dev.rlm.sinks.Sink;
import dev.rlm.sinks.jsonl.segment.LineFile;
import dev.rlm.sinks.jsonl.segment.Segment;
import dev.rlm.sinks.testkit.SinkContractTest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.io.TempDir;

class JsonlContractTest extends SinkContractTest {
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

    /** The lines of all segments, save the first of each. */
    @Override
    protected OptionalLong arrived() throws IOException {
        AtomicLong lines = new AtomicLong();
        for (Path writer : JournalFolder.writers(directory)) {
            for (Segment segment : Segment.of(writer)) {
                segment.read(0, (bytes, from, length) -> lines.incrementAndGet());
                lines.decrementAndGet();
            }
        }
        return OptionalLong.of(lines.get());
    }
}
