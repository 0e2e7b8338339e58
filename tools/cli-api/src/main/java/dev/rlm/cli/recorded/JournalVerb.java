package dev.rlm.cli.recorded;

import dev.rlm.cli.Shell;
import dev.rlm.cli.Verb;
import dev.rlm.journal.Journal;
import dev.rlm.journal.index.IndexCache;
import dev.rlm.sinks.SinkConfigException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Verb about a journal. */
public abstract class JournalVerb extends Verb {
    @Option(names = "--journal", paramLabel = "DIR", description = "The journal's folder ($RLM_JSONL_DIR, else .rlm).")
    private @Nullable Path directory;

    @Option(
            names = "--index",
            paramLabel = "DIR",
            description = "Where indexes of journals are kept ($RLM_JOURNAL_INDEX, else the user's cache folder); none"
                    + " keeps none.")
    private @Nullable String index;

    /** Opens the journal. */
    protected final Journal open() {
        return journals().open(directory(), index());
    }

    /** Opens the journal for a verb that then reads the events of many runs. */
    protected final Journal openToRead() {
        return journals().openToRead(directory(), index());
    }

    /**
     * Returns the indexes that make opening fast.
     *
     * @throws SinkConfigException if nothing but blanks was given
     */
    protected final IndexCache index() {
        return IndexCache.configured(index == null ? config() : config().with(IndexCache.VARIABLE, index));
    }

    /**
     * Returns the journal's folder, as it was given.
     *
     * @throws SinkConfigException if nothing but blanks was given
     */
    protected final Path directory() {
        if (directory != null && directory.toString().isBlank()) {
            throw new SinkConfigException("--journal is empty: expected a folder");
        }
        return directory != null ? directory : Journal.configured(config());
    }

    /** Returns what to add to a command that is to look at the same journal. */
    protected final String toRepeat() {
        return directory == null ? "" : " " + Shell.line(List.of("--journal", directory.toString()));
    }
}
