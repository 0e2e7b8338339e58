package dev.rlm.runner.history;

import dev.rlm.cli.UsageException;
import dev.rlm.cli.recorded.RunResults;
import dev.rlm.journal.Journal;
import dev.rlm.journal.RunSummary;
import dev.rlm.runner.job.JobFile;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.StandaloneSpanRecorded;
import dev.rlm.sinks.schema.RunFigures;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Runs of a journal that were asked for together.
 *
 * @param invocation its id
 * @param runs in the order of their starts, all attempts
 * @param figures of these runs
 * @param span of the part of it that ended last; {@code null} if none is recorded
 * @param options by which it was started; empty where it is none of {@code rlm run}
 */
record ListedJob(
        String invocation,
        List<RunSummary> runs,
        RunFigures figures,
        @Nullable StandaloneSpanRecorded span,
        Optional<JobFile> options) {
    /** The state of a job. */
    enum State {
        RUNNING,
        COMPLETED,
        /** Every run of it has failed. */
        FAILED,
        /** Too many of its rollouts have failed. */
        STOPPED,
        INTERRUPTED,
        /** Its process ended without a word. */
        KILLED,
        /** It is none of {@code rlm run}, and none of its runs goes on. */
        ENDED
    }

    /** Returns the jobs of a journal, in the order of their first runs. */
    static List<ListedJob> of(Journal journal) {
        Map<String, List<RunSummary>> jobs = new LinkedHashMap<>();
        for (RunSummary run : journal.runs()) {
            String invocation = run.row().run().correlation().invocation();
            if (invocation != null) {
                jobs.computeIfAbsent(invocation, id -> new ArrayList<>()).add(run);
            }
        }
        Map<String, StandaloneSpanRecorded> spans = new HashMap<>();
        journal.spans().forEach(span -> {
            if (span.attributes().get("rlm.invocation_id") instanceof String invocation) {
                spans.put(invocation, span);
            }
        });
        Path folder = journal.directory().toAbsolutePath().normalize();
        return jobs.entrySet().stream()
                .map(job -> new ListedJob(
                        job.getKey(),
                        job.getValue(),
                        RunFigures.of(job.getValue().stream()
                                .map(run -> RunResults.of(run, run.verdict()))
                                .toList()),
                        spans.get(job.getKey()),
                        JobFile.kept(folder, job.getKey())))
                .toList();
    }

    /**
     * Returns the one of that id, or whose id alone begins so; for {@code last} the one that started last.
     *
     * @throws UsageException if there is none, or more than one
     */
    static ListedJob named(String id, List<ListedJob> jobs) {
        List<ListedJob> named = jobs.stream()
                .filter(job -> job.invocation.startsWith(id))
                .sorted(Comparator.comparingInt(job -> job.invocation.length())) // the whole id before longer ones
                .toList();
        if (named.isEmpty() && id.equals("last") && !jobs.isEmpty()) {
            return jobs.get(jobs.size() - 1);
        } else if (named.size() == 1
                || (!named.isEmpty() && named.get(0).invocation.equals(id))) {
            return named.get(0);
        }
        throw new UsageException(
                named.isEmpty()
                        ? "there is no job '" + id + "': rlm jobs lists them"
                        : "'" + id + "' begins the ids of " + named.size() + " jobs, such as " + named.get(0).invocation
                                + " and " + named.get(1).invocation);
    }

    Instant startedAt() {
        return runs.get(0).startedAt();
    }

    State state() {
        boolean ownsItsWriter = options.isPresent();
        RunSummary last = runs.get(runs.size() - 1);
        boolean told = span != null && !span.time().isBefore(last.startedAt());
        if (figures.running() > 0 || (ownsItsWriter && !told && last.isWriterHeld())) {
            return State.RUNNING;
        } else if (told) {
            return switch (String.valueOf(attribute("outcome"))) {
                case "interrupted" -> State.INTERRUPTED;
                case "stopped" -> State.STOPPED;
                default -> hasFailed() ? State.FAILED : State.COMPLETED;
            };
        } else if (ownsItsWriter) {
            return State.KILLED;
        }
        return hasFailed() ? State.FAILED : State.ENDED;
    }

    private boolean hasFailed() {
        return figures.ended(Outcome.FAILED) == runs.size();
    }

    /** Returns how many rollouts it has; {@code null} where that is not known. */
    @Nullable
    Long size() {
        return attribute("size") instanceof Number size ? (Long) size.longValue() : null;
    }

    /** Returns how many of these have ended; {@code null} where that is not known. */
    @Nullable
    Long ended() {
        return attribute("ended") instanceof Number ended ? (Long) ended.longValue() : null;
    }

    /** Returns the time at which it ended, or its last run did; {@code null} while it goes on. */
    @Nullable
    Instant endedAt() {
        if (state() == State.RUNNING) {
            return null;
        }
        Instant last = runs.stream()
                .map(run -> run.startedAt().plusNanos(run.row().nanos()))
                .max(Instant::compareTo)
                .orElseThrow();
        return span != null && span.time().isAfter(last) ? span.time() : last;
    }

    private @Nullable Object attribute(String name) {
        return span == null ? null : span.attributes().get("rlm.job." + name);
    }

    /** Returns what its runs say of themselves, each once. */
    List<String> all(Function<RunInfo, @Nullable String> what) {
        return runs.stream()
                .map(run -> Optional.ofNullable(what.apply(run.row().run())))
                .flatMap(Optional::stream)
                .filter(text -> !text.isEmpty())
                .distinct()
                .sorted()
                .toList();
    }
}
