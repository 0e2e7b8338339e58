package dev.rlm.runner.job;

import dev.rlm.cli.RecordPlaces;
import dev.rlm.journal.Journal;
import dev.rlm.journal.format.segment.PrivateFiles;
import dev.rlm.journal.index.IndexCache;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunInfo;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Predicate;

/** Identity of a journal, locks of its jobs, and events of their runs. */
public final class JobJournal {
    private static final String ID_FILE = "journal.id";
    private static final int ID_LENGTH = 8;

    private final Path folder;
    private final SinkConfig config;

    private JobJournal(Path folder, SinkConfig config) {
        this.folder = folder;
        this.config = config;
    }

    /** Returns the journal, where one of the sinks records in it. */
    public static Optional<JobJournal> of(SinkConfig config, Sinks sinks) {
        Path folder = Journal.configured(config).toAbsolutePath().normalize();
        return RecordPlaces.areIn(folder, sinks) ? Optional.of(new JobJournal(folder, config)) : Optional.empty();
    }

    /**
     * Returns the journal's id: eight characters that it keeps.
     *
     * @throws IOException if it cannot be read or written
     */
    public String id() throws IOException {
        PrivateFiles.createFolder(folder); // which the sink makes at its first event
        try (FileChannel channel = PrivateFiles.open(
                        folder.resolve(ID_FILE),
                        StandardOpenOption.CREATE,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE);
                FileLock ignored = channel.lock()) {
            ByteBuffer bytes = ByteBuffer.allocate(ID_LENGTH);
            if (channel.read(bytes) < ID_LENGTH) {
                bytes = StandardCharsets.US_ASCII.encode(
                        UUID.randomUUID().toString().substring(0, ID_LENGTH));
                channel.write(bytes.duplicate(), 0);
                channel.force(true);
            } else {
                bytes.flip();
            }
            return StandardCharsets.US_ASCII.decode(bytes).toString();
        }
    }

    /** Takes a job. Returns none where another process has it. */
    public Optional<JobLock> take(String invocation) {
        return JobLock.take(folder, invocation);
    }

    /** Returns the events of those runs, run by run. */
    public List<RunEvent> events(Predicate<RunInfo> runs) {
        Journal journal = Journal.open(folder, IndexCache.configured(config));
        return journal.runs().stream()
                .filter(run -> runs.test(run.run()))
                .flatMap(run -> journal.events(run.runId()).stream())
                .toList();
    }
}
