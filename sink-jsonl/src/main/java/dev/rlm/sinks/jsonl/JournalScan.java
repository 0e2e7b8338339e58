package dev.rlm.sinks.jsonl;

import dev.rlm.sinks.event.LedgerReported;
import dev.rlm.sinks.event.MetricsReported;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.jsonl.segment.Segment;
import dev.rlm.sinks.jsonl.segment.WriterLock;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One pass over all files of a journal. Of most lines it reads the head alone. */
final class JournalScan {
    private final Map<String, Tally> tallies = new LinkedHashMap<>();
    private final Set<MetricsReported> metrics =
            new LinkedHashSet<>(); // the same comes again where a group was written twice
    private final Map<Path, LedgerReported> ledgers = new LinkedHashMap<>();
    private long damagedLines;

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
        tallies.forEach((runId, tally) -> places.put(runId, tally.lastLine));
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
            WriterLines all = new WriterLines((segment, line) -> line(source, segment, line));
            all.read(writer, alive);
            all.warnOfUnreadable();
            damagedLines += all.damaged();
        } catch (IOException e) {
            damagedLines++;
        }
    }

    private void line(Source source, Segment segment, WriterLines.Line line) {
        LineHead head = line.head();
        if (head.type().equals(JournalWriter.JOURNAL)) {
            checkVersion(segment, line.read());
        } else if (head.type().equals(EventWriter.METRICS_REPORTED)) {
            metrics.add(EventReader.metricsReported(line.read()));
        } else if (head.type().equals(EventWriter.LEDGER_REPORTED)) {
            ledgers.put(source.writer(), EventReader.ledgerReported(line.read()));
        } else if (!head.runId().isEmpty() && EventWriter.isOfRun(head.type())) {
            Tally tally = tallies.get(head.runId());
            if (tally == null) {
                tally = new Tally(EventReader.run(line.read()), line);
                tallies.put(head.runId(), tally);
            }
            tally.passes(line.place(), source);
            tally.add(head, line::read);
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
        private List<Path> folders = List.of();
        private RunInfo run;
        private boolean startSeen;
        private @Nullable RunEnded end;
        private boolean alive;
        private Set<Long> steps = new HashSet<>(); // numbers of their ends; only as long as the run's is not known
        private Set<Long> calls = new HashSet<>(); // the numbers of tool calls; likewise
        private int callsAtEnd;
        private Map<Long, Double> rewards =
                new HashMap<>(); // the finite ones by number; then those alone that came late
        private long nanos;
        private Place lastLine;

        Tally(RunInfo run, WriterLines.Line first) {
            this.run = run;
            this.startSeen = first.head().type().equals(EventWriter.RUN_STARTED);
            this.lastLine = first.place();
        }

        void passes(Place line, Source source) {
            lastLine = line;
            if (!folders.contains(source.writer())) {
                folders = folders.isEmpty() ? source.alone() : append(folders, source.writer());
            }
            alive |= source.alive();
        }

        void add(LineHead head, Supplier<Fields> whole) {
            switch (head.type()) {
                case EventWriter.RUN_STARTED -> start(whole);
                case EventWriter.RUN_ENDED -> end(whole.get());
                case EventWriter.REWARD_GIVEN -> reward(whole.get());
                case EventWriter.STEP_ENDED -> note(steps, head.seq());
                case EventWriter.TOOL_CALLED -> note(calls, head.seq());
                default -> {
                    // tells no more than that the run went on
                }
            }
            nanos = Math.max(nanos, head.nanos());
        }

        private void start(Supplier<Fields> whole) {
            if (!startSeen) {
                run = EventReader.run(whole.get());
                startSeen = true;
            }
        }

        /** Forgets what the end tells as well: a journal may have very many runs. */
        private void end(Fields line) {
            if (end == null && new EventReader(run).read(line) instanceof RunEnded first) {
                end = first;
                steps = Set.of();
                callsAtEnd = calls.size();
                calls = Set.of();
                rewards.keySet().removeIf(seq -> seq <= first.seq());
                rewards = rewards.isEmpty() ? Map.of() : rewards;
            }
        }

        private void note(Set<Long> numbers, long seq) {
            if (end == null) {
                numbers.add(seq);
            }
        }

        private void reward(Fields line) {
            if (new EventReader(run).read(line) instanceof RewardGiven reward && Double.isFinite(reward.value())) {
                if (end == null) {
                    rewards.put(reward.seq(), reward.value());
                } else if (reward.seq() > end.seq()) {
                    rewards = rewards.isEmpty() ? new HashMap<>() : rewards;
                    rewards.put(reward.seq(), reward.value());
                }
            }
        }

        private static List<Path> append(List<Path> folders, Path another) {
            List<Path> all = new ArrayList<>(folders);
            all.add(another);
            return all;
        }

        /** The sum of the rewards with a number above the given one. */
        private double rewardsAfter(long seq) {
            return rewards.entrySet().stream()
                    .filter(reward -> reward.getKey() > seq)
                    .mapToDouble(Map.Entry::getValue)
                    .sum();
        }

        RunSummary summary() {
            RunEnded ended = end;
            if (ended != null) {
                RunState state = RunState.of(ended.outcome());
                double total = ended.totalReward() + rewardsAfter(ended.seq()); // what came late is not in the end
                return new RunSummary(
                        run, state, of(run, ended), ended.steps(), callsAtEnd, total, ended.duration(), folders);
            }
            RunState state = alive ? RunState.RUNNING : RunState.UNFINISHED;
            return new RunSummary(
                    run, state, null, steps.size(), calls.size(), rewardsAfter(0), Duration.ofNanos(nanos), folders);
        }

        /** The end, which may have been read before more was known of its run. */
        private static RunEnded of(RunInfo run, RunEnded end) {
            return end.run().equals(run)
                    ? end
                    : new RunEnded(
                            run,
                            end.seq(),
                            end.nanos(),
                            end.outcome(),
                            end.status(),
                            end.solved(),
                            end.runPath(),
                            end.terminationReason(),
                            end.truncated(),
                            end.steps(),
                            end.totalReward(),
                            end.absentRewards(),
                            end.finalAnswer(),
                            end.metrics(),
                            end.errorType(),
                            end.error());
        }
    }
}
