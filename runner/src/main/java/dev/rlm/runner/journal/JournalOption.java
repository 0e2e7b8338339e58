package dev.rlm.runner.journal;

import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.jsonl.Detail;
import dev.rlm.sinks.jsonl.Journal;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which journal a command reads. */
public final class JournalOption {
    @Option(
            names = "--journal",
            paramLabel = "DIR",
            description = "The journal's folder; $RLM_JSONL_DIR or .rlm unless given.")
    private @Nullable Path directory;

    private final SinkConfig config;

    public JournalOption(SinkConfig config) {
        this.config = config;
    }

    public Journal open() {
        return Journal.open(directory());
    }

    /** {@link #open()}, for a command that shows less of each run than all. */
    Journal open(Detail detail) {
        return Journal.open(directory(), detail);
    }

    public Path directory() {
        return directory != null ? directory : Journal.configured(config);
    }

    /** What to add to a command that is to look at the same journal. */
    public String toRepeat() {
        return directory == null ? "" : " --journal " + directory;
    }
}
