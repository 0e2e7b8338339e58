package dev.rlm.journal;

import dev.rlm.journal.format.segment.LineText;
import dev.rlm.journal.index.EventRow;
import dev.rlm.journal.index.RunRow;
import dev.rlm.journal.line.EventReader;
import dev.rlm.journal.line.Fields;
import dev.rlm.journal.line.LineHead;
import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.EventType;
import dev.rlm.sinks.event.Message;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.RunInfoBuilder;
import dev.rlm.sinks.schema.GatewayRuns;
import dev.rlm.sinks.schema.RolloutKey;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A run of a journal in short. Its {@link #row}, from an index, is read when it is first asked for; its id and start
 * are known before. Safe for use by several threads.
 */
public final class RunSummary implements RunIds.Named {
    /** Tag of runs that were taken over from elsewhere without times: those in the record tell no more than the order. */
    public static final String TIMES_TAG = "import.times";

    /** Value of the tag where no time is known but that of the import. */
    public static final String MADE_UP = "made_up";

    /** Value of the tag where the run's start and end are known, and nothing between them is. */
    public static final String MADE_UP_WITHIN = "made_up_within";

    private final RunPlaces places;
    private final Reading reading;

    RunSummary(RunPlaces places, Reading reading) {
        this.places = places;
        this.reading = reading;
    }

    /** Returns what an index tells of it: all but texts, the numbers of its end, and parameters other than texts of up to 64 characters. */
    public RunRow row() {
        return reading.row(places);
    }

    /** Returns the number of its attempt at its rollout; 1 where it does not tell. */
    @Override
    public int attempt() {
        return places.earlier() == null ? places.run().attempt() : RolloutKey.attempt(row().run());
    }

    /** Returns whether it is an attempt at the rollout of that id. */
    @Override
    public boolean isAttemptAt(String rollout) {
        return rollout.equals(row().run().correlation().rollout());
    }

    /** Returns the id of the run whose calls a gateway recorded in it; {@code null} if that is not told, as of nearly all runs. */
    public @Nullable String caller() {
        return places.earlier() == null ? places.run().caller() : GatewayRuns.caller(row().run());
    }

    /** Returns what an index tells of its calls, and of rewards of which there is more to tell than their values, by number. */
    public Collection<EventRow> eventRows() {
        return places.events();
    }

    RunPlaces places() {
        return places;
    }

    /** Returns whether a process that records it lived when the journal was read. */
    public boolean isWriterAlive() {
        return places.isAlive();
    }

    /**
     * Returns whether a process that records it lives now, or is being recovered.
     *
     * @throws JournalException if that cannot be told
     */
    public boolean isWriterHeld() {
        try {
            for (RunPlaces.Source source : places.sources()) {
                if (source.isHeld()) {
                    return true;
                }
            }
            return false;
        } catch (IOException e) {
            throw new JournalException("the lock of a writer of " + runId() + " cannot be looked at: " + e, e);
        }
    }

    /** Returns its writers, as {@link Journal#writers()} names them. */
    public List<Path> writers() {
        return places.sources().stream()
                .map(RunPlaces.Source::writer)
                .distinct()
                .toList();
    }

    @Override
    public String runId() {
        return places.run().id();
    }

    /** Returns the time of its start, as the first of its lines tells it. */
    public Instant startedAt() {
        return places.first().run().startedAt();
    }

    /**
     * Reads what is known from its start on, from the journal's files; where the start is lost, what its other events
     * tell. The {@link #row} has all but task, expected answer and parameters. A run of a gateway that tells no task has what its first
     * call says first as the user.
     */
    public RunInfo run() {
        Fields start = line(EventType.RUN_STARTED);
        RunInfo told = start == null ? row().run() : EventReader.run(start);
        boolean noTask = told.task().isEmpty() && told.environment().equals(GatewayRuns.ENVIRONMENT);
        return noTask || told.model().isEmpty()
                ? RunInfoBuilder.builder(told)
                        .model(row().run().model())
                        .task(noTask ? asked(told) : told.task())
                        .build()
                : told;
    }

    private Content asked(RunInfo run) {
        Fields call = line(EventType.MODEL_CALLED);
        return call != null && new EventReader(run).read(call) instanceof ModelCalled first
                ? first.messages().stream()
                        .filter(message -> message.role().equals("user"))
                        .findFirst()
                        .map(Message::content)
                        .orElse(Content.EMPTY)
                : Content.EMPTY;
    }

    /**
     * Reads its end from the journal's files; {@code null} where it has none. The {@link #row} has all but final
     * answer, metrics and the text of its error.
     */
    public @Nullable RunEnded end() {
        Fields end = row().end() == null ? null : line(EventType.RUN_ENDED);
        return end == null ? row().end() : (RunEnded) new EventReader(run()).read(end);
    }

    /** Reads the first line of that type; {@code null} where there is none. */
    private @Nullable Fields line(EventType type) {
        for (RunPlaces place : places.all()) {
            List<byte[]> found = new ArrayList<>(1);
            try {
                place.read(type.label()::equals, reading.text(), (bytes, from, length) -> {
                    LineHead head = found.isEmpty() ? LineHead.of(bytes, from, length) : null;
                    if (head != null && head.is(type) && head.runId().equals(runId())) {
                        found.add(Arrays.copyOfRange(bytes, from, from + length));
                    }
                });
            } catch (IOException e) {
                // it is gone, or damaged by now
            }
            if (!found.isEmpty()) {
                return Fields.parse(found.get(0), 0, found.get(0).length);
            }
        }
        return null;
    }

    public RunState state() {
        RunEnded ended = row().end();
        return ended != null ? RunState.of(ended.outcome()) : isWriterAlive() ? RunState.RUNNING : RunState.UNFINISHED;
    }

    /** Returns how many steps have ended. */
    public int steps() {
        return row().steps();
    }

    /** Returns how many tools were called. */
    public int toolCalls() {
        return row().toolCalls();
    }

    /** Returns the rewards given so far. */
    public RewardSummary rewards() {
        RunRow known = row();
        return new RewardSummary(known.totalReward(), known.absentRewards(), known.lateRewards());
    }

    /** Returns how many different events of it are there; those after its end do not count. */
    public long events() {
        return row().events();
    }

    /** Returns the time from the start to the end, or to the last event; {@code null} where the record's times were made up. */
    public @Nullable Duration duration() {
        return MADE_UP.equals(row().run().tags().get(TIMES_TAG)) ? null : Duration.ofNanos(row().nanos());
    }

    /** Returns the folders of the writers that recorded it; nearly always one. */
    public List<Path> folders() {
        return places.folders();
    }

    /** Returns how many of its events no reader shows, because another one has their number: two processes once could give the same. */
    public long hiddenEvents() {
        return places.hiddenEvents();
    }

    /** Returns whether the journal lacks some of the events that the run's end says it had. */
    public boolean isIncomplete() {
        RunRow known = row();
        return known.end() != null && known.events() < known.end().seq();
    }

    /** Returns whether the times of its steps and calls are known. */
    public boolean hasTimesWithin() {
        return !row().run().tags().containsKey(TIMES_TAG);
    }

    /**
     * Returns the class of the error that it failed by, else why it ended; {@code null} if it has not failed, or does
     * not say.
     */
    public @Nullable String failure() {
        RunEnded ended = row().end();
        if (ended == null || state() != RunState.FAILED) {
            return null;
        }
        return ended.errorType() == null ? ended.terminationReason() : ended.errorType();
    }

    /** Returns the sum of the finite rewards so far, those that came after its end included; {@code null} where none was given. */
    public @Nullable Double totalReward() {
        return row().totalReward();
    }

    /** Returns whether it has ended and is known to be {@linkplain #verdict solved}. */
    public boolean isSolved() {
        return verdict() == Verdict.SOLVED;
    }

    /**
     * Returns what is known of whether it is solved. If it had a reward when it ended, that is what its end says; else the first
     * reward after it decides, held against the run's pass reward. Others count in {@link #totalReward} and change nothing.
     */
    public Verdict verdict() {
        RunRow known = row();
        return Verdict.of(known.solved(), known.totalReward() != null);
    }

    /**
     * Reads runs of a journal.
     *
     * @param lastRow that was read; it is asked for several times in turn
     */
    record Reading(LineText text, AtomicReference<@Nullable LastRow> lastRow) {
        Reading() {
            this(new LineText(), new AtomicReference<>());
        }

        @SuppressWarnings("ReferenceEquality") // of the same summary
        RunRow row(RunPlaces places) {
            LastRow last = lastRow.get();
            if (last == null || last.places != places) {
                last = new LastRow(places, places.row());
                lastRow.set(last);
            }
            return last.row;
        }
    }

    private record LastRow(RunPlaces places, RunRow row) {}

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof RunSummary summary
                && state() == summary.state()
                && folders().equals(summary.folders())
                && row().equals(summary.row());
    }

    @Override
    public int hashCode() {
        return runId().hashCode();
    }

    @Override
    public String toString() {
        return row() + " in " + folders() + (isWriterAlive() ? ", whose writer lives" : "");
    }
}
