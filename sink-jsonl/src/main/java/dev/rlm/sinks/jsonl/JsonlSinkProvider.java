package dev.rlm.sinks.jsonl;

import dev.rlm.journal.format.JournalFolder;
import dev.rlm.sinks.Sink;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkProvider;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/** Makes the journal's sink from the variables {@code RLM_JSONL_…}. It is used where nothing is said. */
public final class JsonlSinkProvider implements SinkProvider {
    private static final long MIN_ROTATE_SIZE = 100_000;

    @Override
    public String name() {
        return JournalFolder.SINK;
    }

    @Override
    public String description() {
        return "a durable journal in files of one JSON object a line";
    }

    @Override
    public boolean isEnabledByDefault() {
        return true;
    }

    @Override
    public boolean isDurable() {
        return true;
    }

    @Override
    public List<Variable> variables() {
        return List.of(
                new Variable(JournalFolder.VARIABLE, JournalFolder.DEFAULT, "folder of the journal"),
                new Variable(
                        "RLM_JSONL_FSYNC",
                        Fsync.BATCH.label(),
                        "when to sync to disk: batch (each group), run (each group with a run's end), never"),
                new Variable(
                        "RLM_JSONL_ROTATE_SIZE",
                        "64MB",
                        "size at which the next file is begun, at least 100KB; 0 for never"),
                new Variable(
                        "RLM_JSONL_ROTATE_AGE",
                        "1d",
                        "age at which the next file is begun, such as 90s or 7d; 0 for never"),
                new Variable(
                        "RLM_JSONL_COMPRESS",
                        "true",
                        "whether closed files are compressed with zstd; a process's last one only from 10 MB on"),
                new Variable(
                        "RLM_JSONL_KEEP_AGE",
                        "",
                        "age from which closed files are deleted, such as 30d, with the files of runs that they"
                                + " alone name"),
                new Variable(
                        "RLM_JSONL_KEEP_SIZE",
                        "",
                        "size of the journal above which its oldest closed files are deleted, such as 10GB"));
    }

    @Override
    public Sink create(SinkConfig config) {
        String fsync = config.choice("FSYNC", Fsync.BATCH.label(), Fsync.labels());
        return JsonlSink.builder()
                .directory(JournalFolder.configured(config))
                .fsync(Fsync.valueOf(fsync.toUpperCase(Locale.ROOT)))
                .rotateSize(rotateSize(config))
                .rotateAge(config.duration("ROTATE_AGE", JsonlSink.DEFAULT_ROTATE_AGE))
                .compress(config.bool("COMPRESS", true))
                .keepAge(config.duration("KEEP_AGE", Duration.ZERO))
                .keepSize(config.bytes("KEEP_SIZE", 0))
                .build();
    }

    /** A file for every few events would be no good. */
    private static long rotateSize(SinkConfig config) {
        long size = config.bytes("ROTATE_SIZE", JsonlSink.DEFAULT_ROTATE_SIZE);
        if (size > 0 && size < MIN_ROTATE_SIZE) {
            throw config.invalid("ROTATE_SIZE", "at least 100KB, or 0 for never");
        }
        return size;
    }
}
