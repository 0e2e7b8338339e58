package dev.rlm.runner.job;

import dev.rlm.cli.RecordPlaces;
import dev.rlm.journal.Journal;
import dev.rlm.journal.JournalException;
import dev.rlm.journal.RunSummary;
import dev.rlm.journal.index.IndexCache;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.event.Correlation;
import dev.rlm.sinks.event.RunInfo;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The attempts at rollouts of which the journal tells. */
public final class EarlierAttempts {
    private static final Logger LOG = LoggerFactory.getLogger(EarlierAttempts.class);

    private EarlierAttempts() {}

    /** Returns the number of the last attempt in that environment by the rollout's id, where a sink records in the journal. */
    public static Map<String, Integer> read(SinkConfig config, Sinks sinks, String environment) {
        Path folder = Journal.configured(config).toAbsolutePath().normalize();
        Map<String, Integer> attempts = new HashMap<>();
        if (!RecordPlaces.areIn(folder, sinks) || !Journal.isAt(folder)) {
            return attempts;
        }
        try {
            for (RunSummary summary :
                    Journal.open(folder, IndexCache.configured(config)).runs()) {
                RunInfo run = summary.row().run();
                Correlation ids = run.correlation();
                if (ids.rollout() != null
                        && ids.attempt() != null
                        && run.environment().equals(environment)) {
                    attempts.merge(ids.rollout(), ids.attempt(), Math::max);
                }
            }
        } catch (JournalException e) {
            LOG.warn("earlier attempts are not known: {}", e.getMessage());
        }
        return attempts;
    }
}
