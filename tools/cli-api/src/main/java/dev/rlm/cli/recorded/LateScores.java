package dev.rlm.cli.recorded;

import dev.rlm.cli.Interruption;
import dev.rlm.cli.Redactions;
import dev.rlm.cli.UsageException;
import dev.rlm.journal.JournalException;
import dev.rlm.journal.format.segment.MaintenanceLock;
import dev.rlm.journal.recovery.ResendQueue;
import dev.rlm.journal.recovery.Resent;
import dev.rlm.sinks.Reward;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkConfigException;
import dev.rlm.sinks.SinkStatus;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RewardGivenBuilder;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.schema.RewardVersion;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Scores on their way into a journal, as late rewards in a writer's folder of their own: second opinions, or rewards that decide of their
 * runs. One process at a time gives some
 * to a journal, since they are numbered behind the events that are there, and far enough behind the run's end. For one thread.
 */
public final class LateScores implements AutoCloseable {
    private static final String LOCK = "scores.lock";
    private static final String SINK = "jsonl";
    private static final long LATE_REWARDS = 1_000_000; // numbers of those that a run's own writer may still give

    private final Path journal;
    private final MaintenanceLock lock;
    private final SinkConfig config;
    private final List<String> secrets;
    private @Nullable Sinks sinks; // made with the first score, as is the next: so that no folder is made for none
    private @Nullable ResendQueue queue;

    /**
     * Takes the journal; to be done before it is read.
     *
     * @param secrets that no text may hold, such as a judge's key
     * @throws UsageException if another process gives scores to it, or it is the folder of one writer
     */
    public LateScores(Path journal, SinkConfig config, Collection<String> secrets) {
        this.journal = journal;
        this.config = config;
        this.secrets = List.copyOf(secrets);
        this.lock = lock(journal);
    }

    /**
     * Returns what scores are called.
     *
     * @throws UsageException if one of both is not valid
     */
    public static RewardVersion version(String name, String version) {
        try {
            return new RewardVersion(name, version);
        } catch (IllegalArgumentException e) {
            throw new UsageException(e.getMessage() + " (--name, --version)", e);
        }
    }

    private static MaintenanceLock lock(Path journal) {
        try (DirectoryStream<Path> segments = Files.newDirectoryStream(journal, "events-*")) {
            if (segments.iterator().hasNext()) { // scores written there would not be found
                throw new UsageException("--journal " + journal
                        + " is the folder of one writer: expected the journal, which is the folder above it");
            }
            return MaintenanceLock.take(journal, LOCK)
                    .orElseThrow(() -> new UsageException("another process is giving scores to the runs in " + journal
                            + " (rlm rescore, rlm label or rlm scan): wait for its end"));
        } catch (IOException e) {
            throw new JournalException("no scores can be given to the runs in " + journal + ": " + e, e);
        }
    }

    /**
     * Gives scores to a run that has ended, as second opinions.
     *
     * @param events of the run: at least its end and all of its rewards
     * @param begun when their computation began
     * @param scores at least one
     * @return whether there is sense in giving more
     */
    public boolean give(List<RunEvent> events, Instant begun, Map<RewardVersion, Reward> scores) {
        return give(events, begun, scores, null);
    }

    /**
     * Gives one that decides if the run is solved, and counts in its total.
     *
     * @param passReward from which score on it is
     */
    public boolean decide(
            List<RunEvent> events, Instant begun, RewardVersion version, Reward score, double passReward) {
        return give(events, begun, Map.of(version, score), passReward);
    }

    private boolean give(
            List<RunEvent> events, Instant begun, Map<RewardVersion, Reward> scores, @Nullable Double passReward) {
        Sinks hub = hub();
        long last = events.stream().mapToLong(RunEvent::nanos).max().orElseThrow();
        long start = Math.max(last, events.get(0).run().nanosTo(begun));
        long seq = seq(events);
        boolean goesOn = true;
        for (Map.Entry<RewardVersion, Reward> score : scores.entrySet()) {
            RewardGiven given =
                    given(events.get(0).run(), seq++, start, score.getKey().source(), score.getValue(), hub);
            goesOn = Objects.requireNonNull(queue)
                    .publish(
                            passReward == null
                                    ? given
                                    : RewardGivenBuilder.builder(given)
                                            .solved(given.value() >= passReward)
                                            .build());
        }
        return goesOn;
    }

    private static RewardGiven given(RunInfo run, long seq, long start, String source, Reward score, Sinks hub) {
        return RewardGivenBuilder.builder()
                .run(run)
                .seq(seq)
                .nanos(Math.max(start, run.nanosTo(Instant.now())))
                .startNanos(start)
                .step(RunEvent.NO_STEP)
                .source(source)
                .value(score.value())
                .components(score.components())
                .label(score.label())
                .explanation(score.explanation() == null ? null : hub.content(score.explanation()))
                .kind(score.kind())
                .min(score.min())
                .max(score.max())
                .build();
    }

    private static long seq(List<RunEvent> events) {
        long seq = 0;
        for (RunEvent event : events) {
            seq = Math.max(seq, event instanceof RunEnded ? event.seq() + LATE_REWARDS : event.seq());
        }
        return seq + 1;
    }

    private Sinks hub() {
        Sinks hub = sinks;
        if (hub == null) {
            Sinks.Builder builder = Sinks.builder()
                    .config(config.with("RLM_JSONL_DIR", journal.toString()))
                    .only(List.of(SINK))
                    .importing();
            secrets.forEach(builder::secret);
            hub = builder.build();
            if (hub.get(SINK).isEmpty()) {
                throw new SinkConfigException("nothing can be written to " + journal + ": "
                        + hub.statuses().stream().map(SinkStatus::detail).collect(Collectors.joining("; ")));
            }
            sinks = hub;
            queue = new ResendQueue(hub);
        }
        return hub;
    }

    /** Waits until all that was given is in the journal; what is missing, empty where nothing is. */
    public String finish() {
        if (sinks == null || queue == null) {
            return "";
        }
        boolean interrupted = Thread.interrupted(); // what was given is to arrive all the same
        queue.awaitArrival();
        sinks.close(Interruption.CLOSE_TIME);
        String problem = queue.results().stream()
                .filter(sink -> !sink.isComplete())
                .map(Resent.ToSink::problem)
                .collect(Collectors.joining("; "));
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return problem;
    }

    /** Returns a warning of texts that could not be redacted and are missing; empty if there are none. */
    public Optional<String> warning() {
        return sinks == null ? Optional.empty() : Redactions.warning(sinks.redactions());
    }

    @Override
    public void close() {
        if (sinks != null && queue != null) {
            queue.close();
            sinks.close(Interruption.CLOSE_TIME);
        }
        try {
            lock.close();
        } catch (IOException e) {
            // the lock goes with the process at the latest
        }
    }
}
