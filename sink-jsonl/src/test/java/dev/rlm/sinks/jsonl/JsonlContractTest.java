package dev.rlm.sinks.jsonl;

import dev.rlm.sinks.Sink;
import dev.rlm.sinks.testkit.SinkContractTest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.stream.Stream;
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
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                all.append(Files.readString(file));
            }
        }
        return all.toString();
    }

    /** The lines of all events' files, save the first of each. */
    @Override
    protected OptionalLong arrived() throws IOException {
        long lines = 0;
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.filter(path -> path.getFileName().toString().startsWith("events-"))
                    .toList()) {
                lines += Files.readString(file).lines().count() - 1;
            }
        }
        return OptionalLong.of(lines);
    }
}
