package dev.rlm.sinks.jsonl;

import dev.rlm.sinks.event.EventType;
import dev.rlm.sinks.event.LedgerReported;
import dev.rlm.sinks.event.MetricsReported;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEndedBuilder;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.jsonl.segment.Segment;
import dev.rlm.sinks.jsonl.segment.WriterLock;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One pass over all files of a journal. Of most lines it reads the head alone. */
final class JournalScan {
    private static final Set<String> READ_HEADS_OF = Set.of(
            EventType.STEP_STARTED.label(),
            EventType.STEP_ENDED.label(),
            EventType.MODEL_CALLED.label(),
            EventType.TOOL_CALLED.label());

    private final Map<String, Tally> tallies = new LinkedHashMap<>();
    private final Set<MetricsReported> metrics =
            new LinkedHashSet<>(); // the same comes again where a group was written twice
    private final Map<Path, LedgerReported> ledgers = new LinkedHashMap<>();
    private final Detail detail;
    private final KeptText kept;
    private long damagedLines;

    JournalScan(Detail detail, KeptText kept) {
        this.detail = detail;
        this.kept = kept;
    }

    List<RunSummary> runs() {
        return tallies.values().stream()
                .map(Tally::summary)
                .sorted(Comparator.comparing((RunSummary run) -> run.run().startedAt())
                        .thenComparing(run -> run.run().runId()))
                .toList();
    }

    /** Where the last line of each run stands, be it one that came again or could not be read. */
    Map<String, Place> lastLines() {
        Map<String, Place> places = new HashMap<>();
        tallies.forEach((runId, tally) -> places.put(runId, tally.lastLine()));
        return places;
    }

    List<MetricsReported> metrics() {
        return List.copyOf(metrics);
    }

    /** The last ledger of each writer, by its folder. */
    Map<Path, LedgerReported> ledgers() {
        return ledgers;
    }

    long damagedLines() {
        return damagedLines;
    }

    /** Reads what one writer has recorded. What cannot be read counts as one damaged line, and hides nothing else. */
    void read(Path writer) {
        try {
            // Asked first: a run whose writer ends while its file is read still counts as running, and not as lost.
            boolean alive = WriterLock.isHeld(writer);
            Source source = new Source(writer, alive);
            WriterLines all = new WriterLines(new Lines(source), kept::readAndKeep);
            all.read(writer, alive);
            all.warnOfUnreadable();
            damagedLines += all.damaged();
        } catch (IOException e) {
            damagedLines++;
        }
    }

    /** The lines of a source. */
    private final class Lines implements WriterLines.Reader {
        private final Source source;

        Lines(Source source) {
            this.source = source;
        }

        @Override
        public void line(Segment segment, LineBlock.Line line) {
            JournalScan.this.line(source, segment, line);
        }

        @Override
        public boolean readsAll(String type) {
            return !READ_HEADS_OF.contains(type);
        }
    }

    private void line(Source source, Segment segment, LineBlock.Line line) {
        LineHead head = line.head();
        if (head.type().equals(JournalWriter.JOURNAL)) {
            checkVersion(segment, line.read());
        } else if (head.is(EventType.METRICS_REPORTED)) {
            metrics.add((MetricsReported) EventReader.readApart(EventType.METRICS_REPORTED, line.read()));
        } else if (head.is(EventType.LEDGER_REPORTED)) {
            ledgers.put(
                    source.writer(), (LedgerReported) EventReader.readApart(EventType.LEDGER_REPORTED, line.read()));
        } else if (!head.runId().isEmpty() && head.isOfRun()) {
            Tally tally = tallies.get(head.runId());
            if (tally == null) {
                tally = new Tally(detail, EventReader.run(line.read()), head);
                tallies.put(head.runId(), tally);
            }
            tally.passes(segment, line.number(), source);
            tally.add(head, line);
        }
    }

    static void checkVersion(Segment segment, Fields header) {
        long version = header.number("version");
        if (version > JournalWriter.SCHEMA_VERSION) {
            throw new JournalException(segment + " was written by a newer version: its schema is " + version
                    + ", and this version reads up to " + JournalWriter.SCHEMA_VERSION);
        }
    }

    /** Where a line comes from, and whether its writer lives. */
    private record Source(Path writer, boolean alive, List<Path> alone) {
        Source(Path writer, boolean alive) {
            this(writer, alive, List.of(writer));
        }
    }

    /** What is known so far of one run. */
    private static final class Tally {
        private final Detail detail;
        private List<Path> folders = List.of();
        private RunInfo run;
        private boolean startSeen;
        private @Nullable RunEnded end;
        private boolean alive;
        private final BySeq steps = new BySeq(); // their ends; only as long as the run's is not known
        private final BySeq calls = new BySeq(); // of tools; likewise
        private int callsAtEnd;
        private final BySeq rewards = new BySeq(); // then those alone that came late
        private int rewardsBeforeEnd;
        private int absentAtEnd;
        private final SeenSeqs seen = new SeenSeqs();
        private long nanos;
        private @Nullable Source lastSource; // asked first: to compare paths takes long
        private @Nullable Segment lastSegment;
        private long lastLine;

        Tally(Detail detail, RunInfo run, LineHead first) {
            this.detail = detail;
            this.run = detail.of(run);
            this.startSeen = first.is(EventType.RUN_STARTED);
        }

        Place lastLine() {
            return new Place(Objects.requireNonNull(lastSegment), lastLine);
        }

        @SuppressWarnings("ReferenceEquality") // another may be the same, and is then compared
        void passes(Segment segment, long line, Source source) {
            lastSegment = segment;
            lastLine = line;
            if (source != lastSource && !folders.contains(source.writer())) {
                folders = folders.isEmpty() ? source.alone() : append(folders, source.writer());
            }
            alive |= source.alive();
            lastSource = source;
        }

        void add(LineHead head, LineBlock.Line line) {
            switch (Objects.requireNonNull(EventType.of(head.type()))) {
                case RUN_STARTED -> start(line);
                case RUN_ENDED -> end(line.read());
                case REWARD_GIVEN -> reward(line.read());
                case STEP_ENDED -> note(steps, head.seq());
                case TOOL_CALLED -> note(calls, head.seq());
                default -> {
                    // tells no more than that the run went on
                }
            }
            seen.add(head.seq());
            nanos = Math.max(nanos, head.nanos());
        }

        private void start(LineBlock.Line line) {
            if (!startSeen) {
                run = detail.of(EventReader.run(line.read()));
                startSeen = true;
            }
        }

        /** Forgets what the end tells as well: a journal may have very many runs. */
        private void end(Fields line) {
            if (end == null && new EventReader(run).read(line) instanceof RunEnded first) {
                end = detail.of(first);
                callsAtEnd = calls.size();
                steps.clear();
                calls.clear();
                int absent = rewards.absent();
                int given = rewards.size();
                rewards.forgetUpTo(first.seq());
                rewardsBeforeEnd = given - rewards.size();
                absentAtEnd = Math.max(absent - rewards.absent(), first.absentRewards());
            }
        }

        private void note(BySeq numbers, long seq) {
            if (end == null) {
                numbers.put(seq, 1);
            }
        }

        private void reward(Fields line) {
            long seq = line.number("seq");
            if (end == null || seq > end.seq()) {
                rewards.put(seq, line.has("value") ? line.decimal("value") : Double.NaN);
            } else {
                rewardsBeforeEnd++;
            }
        }

        private static List<Path> append(List<Path> folders, Path another) {
            List<Path> all = new ArrayList<>(folders);
            all.add(another);
            return all;
        }

        RunSummary summary() {
            RunEnded ended = end;
            if (ended != null) {
                RunState state = RunState.of(ended.outcome());
                RewardSummary withLate = new RewardSummary( // what came late is not in the end
                        ended.totalReward() + rewards.sum(),
                        absentAtEnd + rewards.absent(),
                        rewards.size(),
                        ended.isUndecided(rewardsBeforeEnd, rewards.size()));
                return new RunSummary(
                        run,
                        state,
                        of(run, ended),
                        ended.steps(),
                        callsAtEnd,
                        withLate,
                        seen.count(ended.seq()),
                        ended.duration(),
                        folders);
            }
            RunState state = alive ? RunState.RUNNING : RunState.UNFINISHED;
            return new RunSummary(
                    run,
                    state,
                    null,
                    steps.size(),
                    calls.size(),
                    new RewardSummary(rewards.sum(), rewards.absent(), 0, false),
                    seen.count(Long.MAX_VALUE),
                    Duration.ofNanos(nanos),
                    folders);
        }

        /** The end, which may have been read before more was known of its run. */
        private static RunEnded of(RunInfo run, RunEnded end) {
            return end.run().equals(run)
                    ? end
                    : RunEndedBuilder.builder(end).run(run).build();
        }
    }
}
