package dev.rlm.cli;

import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkConfigException;
import dev.rlm.sinks.Sinks;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that say where runs are recorded. */
public final class SinkOptions {
    @Option(
            names = "--sink",
            paramLabel = "NAME",
            description = "Use exactly the sinks named, whatever the variables say. May be repeated.")
    private List<String> names = new ArrayList<>();

    @Option(
            names = "--journal",
            paramLabel = "DIR",
            description = "Keep the journal there ($RLM_JSONL_DIR, else .rlm).")
    private @Nullable String journal;

    /**
     * The sinks that are chosen.
     *
     * @throws SinkConfigException if what was said of them is not valid
     */
    public Sinks open(SinkConfig config) {
        if (journal != null && journal.isBlank()) {
            throw new SinkConfigException("--journal is empty: expected a folder");
        }
        Sinks.Builder builder = Sinks.builder().config(configured(config));
        return (names.isEmpty() ? builder : builder.only(names)).build();
    }

    /** The configuration with what was said of the journal. */
    public SinkConfig configured(SinkConfig config) {
        return journal == null ? config : config.with("RLM_JSONL_DIR", journal);
    }

    /** The sinks named; empty to go by the variables. */
    public List<String> names() {
        return names;
    }

    /** Returns what to add to a command that is to look at the same journal. */
    public String toRepeat() {
        return journal == null ? "" : " " + Shell.line(List.of("--journal", journal));
    }
}
