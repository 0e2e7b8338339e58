package dev.rlm.runner.journal;

import dev.rlm.runner.terminal.Shell;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkConfigException;
import dev.rlm.sinks.jsonl.Detail;
import dev.rlm.sinks.jsonl.Journal;
import java.nio.file.Path;
import java.util.List;
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

    /**
     * The folder, as it was given.
     *
     * @throws SinkConfigException if nothing but blanks was given
     */
    public Path directory() {
        if (directory != null && directory.toString().isBlank()) {
            throw new SinkConfigException("--journal is empty: expected a folder");
        }
        return directory != null ? directory : Journal.configured(config);
    }

    /** What to add to a command that is to look at the same journal. */
    public String toRepeat() {
        return directory == null ? "" : " " + Shell.line(List.of("--journal", directory.toString()));
    }
}
