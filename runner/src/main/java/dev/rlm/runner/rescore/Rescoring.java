package dev.rlm.runner.rescore;

import dev.rlm.cli.recorded.LateScores;
import dev.rlm.cli.recorded.Scores;
import dev.rlm.journal.Journal;
import dev.rlm.journal.RunState;
import dev.rlm.journal.RunSummary;
import dev.rlm.journal.index.EventRow;
import dev.rlm.sinks.Reward;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.schema.RewardVersion;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletionService;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * One pass of a scorer over runs. Runs are read in one go and scored by several threads, a few ahead; scores are written as they
 * come, by the thread that reads.
 */
final class Rescoring {
    private static final int FAILURES = 20; // in a row, of a scorer that asks a server
    private static final int AHEAD = 2; // runs a thread

    private final Scorer scorer;
    private final RewardVersion version;
    private final LateScores scores;
    private final Rescored rescored;
    private final int parallel;
    private final boolean decide;
    private int failures;

    /**
     * A pass that has not begun.
     *
     * @param parallel how many runs are scored at a time
     * @param decide whether the scores decide of their runs
     */
    Rescoring(
            Scorer scorer, RewardVersion version, LateScores scores, Rescored rescored, int parallel, boolean decide) {
        this.scorer = scorer;
        this.version = version;
        this.scores = scores;
        this.rescored = rescored;
        this.parallel = parallel;
        this.decide = decide;
    }

    /**
     * Scores those of the runs that have no such score yet.
     *
     * @throws StoppedException if there is no sense in going on
     * @throws dev.rlm.journal.JournalException if the journal cannot be read, or this thread is interrupted
     */
    void run(Journal journal, List<RunSummary> runs) {
        List<RunSummary> open = new ArrayList<>();
        Map<String, Reward> known = new HashMap<>(); // by run: those that are to decide
        List<RunSummary> undecided = new ArrayList<>();
        for (RunSummary run : runs) {
            EventRow.Reward score = Scores.of(run.eventRows()).get(version);
            if (score != null && !Double.isNaN(score.value())) {
                rescored.skipped();
                rescored.changes().add(run, score.value(), score.components());
                if (decide && score.solved() == null) {
                    known.put(run.runId(), Scores.reward(score));
                    undecided.add(run);
                }
            } else if (run.state() != RunState.COMPLETED) {
                rescored.unfit("it is " + run.state().label(), run.runId());
            } else {
                open.add(run);
            }
        }
        journal.read(undecided, JudgedRun.kinds(Set.of()), (run, events) -> {
            if (!give(events, Instant.now(), Objects.requireNonNull(known.get(run.runId())))) {
                throw full();
            }
        });
        rescored.begin(open.size());
        ExecutorService threads = Executors.newFixedThreadPool(parallel, task -> {
            Thread thread = new Thread(task, "rlm-rescore");
            thread.setDaemon(true);
            return thread;
        });
        try {
            Window window = new Window(new ExecutorCompletionService<>(threads));
            journal.read(
                    open,
                    JudgedRun.kinds(scorer.needs()),
                    (run, events) -> JudgedRun.of(run, events, scorer.needs()),
                    window::take);
            window.settleAll();
        } finally {
            threads.shutdownNow();
        }
    }

    private Outcome score(JudgedRun run) throws InterruptedException {
        Instant begun = Instant.now();
        try {
            return new Outcome(run, begun, scorer.score(run), "");
        } catch (Scorer.ScoreException e) {
            return new Outcome(run, begun, null, String.valueOf(e.getMessage()));
        }
    }

    private void settle(Outcome outcome) {
        JudgedRun run = outcome.run();
        if (outcome.score() == null) {
            rescored.failed(outcome.failure(), run.run().runId());
            if (scorer.asksServer() && ++failures == FAILURES) {
                throw new StoppedException("gave up: " + FAILURES
                        + " runs in a row could not be judged, the last one because of: " + outcome.failure());
            }
            return;
        }
        failures = 0;
        boolean goesOn = give(run.events(), outcome.begun(), outcome.score());
        rescored.scored();
        rescored.changes()
                .add(run.summary(), outcome.score().value(), outcome.score().components());
        if (!goesOn) {
            throw full();
        }
    }

    private boolean give(List<RunEvent> events, Instant begun, Reward score) {
        return decide
                ? scores.decide(
                        events, begun, version, score, rescored.changes().passReward())
                : scores.give(events, begun, Map.of(version, score));
    }

    private static StoppedException full() {
        return new StoppedException("the journal takes no more scores");
    }

    /** Runs that are being scored. */
    private final class Window {
        private final CompletionService<Outcome> service;
        private int open;

        Window(CompletionService<Outcome> service) {
            this.service = service;
        }

        void take(JudgedRun run) {
            if (run.lack() != null) {
                rescored.lacks(run.lack(), run.summary().runId());
                return;
            }
            var unused = service.submit(() -> score(run));
            open++;
            while (open >= AHEAD * parallel) {
                settleNext();
            }
        }

        void settleAll() {
            while (open > 0) {
                settleNext();
            }
        }

        private void settleNext() {
            try {
                Future<Outcome> next = service.take();
                open--;
                settle(next.get());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new StoppedException("interrupted");
            } catch (ExecutionException e) {
                throw new IllegalStateException(e.getCause());
            }
        }
    }

    /**
     * Outcome of scoring a run.
     *
     * @param score {@code null} where there is none
     * @param failure why; else empty
     */
    private record Outcome(
            JudgedRun run, Instant begun, @Nullable Reward score, String failure) {}

    /** There is no sense in going on. The message says why. */
    static final class StoppedException extends RuntimeException {
        private static final long serialVersionUID = 1;

        StoppedException(String message) {
            super(message);
        }
    }
}
