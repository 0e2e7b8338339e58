package dev.rlm.journal;

import dev.rlm.journal.index.IndexedLine;
import dev.rlm.journal.index.RunRow;
import dev.rlm.journal.line.SeenSeqs;
import dev.rlm.sinks.event.EventType;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEndedBuilder;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.schema.LateEvents;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Counts of one run by the lines read so far, in whatever order they come. */
final class RunRowBuilder {
    private RunInfo run;
    private boolean startSeen;
    private @Nullable RunEnded end;
    private final BySeq steps = new BySeq(); // their ends; only as long as the run's is not known
    private final BySeq calls = new BySeq(); // of tools; only as long as the run's end is not known
    private int callsAtEnd;
    private final BySeq rewards = new BySeq(); // then those alone that came late
    private final BySeq rewardTimes = new BySeq(); // of the same, in nanoseconds
    private int rewardsBeforeEnd;
    private long lastRewardSeq;
    private long lastRewardTime;
    private @Nullable Double lastReward;
    private int absentAtEnd;
    private @Nullable Boolean decided; // by the last reward that did
    private long decidedAt;
    private final SeenSeqs seen = new SeenSeqs();
    private long nanos;
    private long lastLine;

    /** One that has counted nothing. */
    RunRowBuilder(IndexedLine first) {
        run = Objects.requireNonNull(first.run());
        startSeen = first.type().equals(EventType.RUN_STARTED.label());
    }

    /** The row of a run of which there are these lines. */
    static RunRow row(List<IndexedLine> lines) {
        RunRowBuilder builder = new RunRowBuilder(lines.get(0));
        lines.forEach(builder::add);
        return builder.row();
    }

    void add(IndexedLine line) {
        lastLine = line.number();
        switch (Objects.requireNonNull(EventType.of(line.type()))) {
            case RUN_STARTED -> start(Objects.requireNonNull(line.run()));
            case RUN_ENDED -> end((RunEnded) Objects.requireNonNull(line.fact()));
            case REWARD_GIVEN -> reward(line);
            case STEP_ENDED -> note(steps, line.seq());
            case TOOL_CALLED -> note(calls, line.seq());
            default -> {
                // tells no more than that the run went on
            }
        }
        seen.add(line.seq());
        nanos = Math.max(nanos, line.nanos());
    }

    private void start(RunInfo told) {
        if (!startSeen) {
            run = told;
            startSeen = true;
        }
    }

    /** Forgets what the end tells as well: a journal may have very many runs. */
    private void end(RunEnded first) {
        if (end == null) {
            end = first;
            callsAtEnd = calls.size();
            steps.clear();
            calls.clear();
            int absent = rewards.absent();
            int given = rewards.size();
            rewards.forgetUpTo(first.seq());
            rewardTimes.forgetUpTo(first.seq());
            rewardsBeforeEnd = given - rewards.size();
            absentAtEnd = Math.max(absent - rewards.absent(), first.absentRewards());
        }
    }

    private void note(BySeq numbers, long seq) {
        if (end == null) {
            numbers.put(seq, 1);
        }
    }

    private void reward(IndexedLine line) {
        if (line.fact() instanceof IndexedLine.Decision decision) {
            reward(line.seq(), line.nanos(), decision.value());
            if (line.nanos() >= decidedAt) {
                decidedAt = line.nanos();
                decided = decision.solved();
            }
        } else if (line.fact() instanceof Double value) { // else it is a second opinion
            reward(line.seq(), line.nanos(), value);
        }
    }

    private void reward(long seq, long time, double value) {
        boolean late = LateEvents.isLate(seq) && LateEvents.isLate(lastRewardSeq);
        if (late ? time >= lastRewardTime : seq >= lastRewardSeq) {
            lastRewardSeq = seq;
            lastRewardTime = time;
            lastReward = value;
        }
        if (end == null || seq > end.seq()) {
            rewards.put(seq, value);
            rewardTimes.put(seq, (double) time);
        } else {
            rewardsBeforeEnd++;
        }
    }

    RunInfo run() {
        return run;
    }

    RunRow row() {
        RunEnded known = end;
        if (known == null) {
            return new RunRow(
                    run,
                    null,
                    steps.size(),
                    calls.size(),
                    rewards.size() == 0 ? null : (Double) rewards.sum(),
                    lastReward,
                    rewards.absent(),
                    0,
                    null,
                    seen.count(Long.MAX_VALUE),
                    nanos,
                    lastLine);
        }
        RunEnded told = RunEndedBuilder.builder(known).run(run).build();
        long events = seen.count(told.seq());
        RunEnded ended = rewardsBeforeEnd == 0 && events == told.seq() ? told.unrewarded() : told;
        double total = ended.totalReward() + rewards.sum(); // what came late is not in the end
        return new RunRow(
                run,
                ended,
                ended.steps(),
                callsAtEnd,
                ended.hasReward() || rewards.size() > 0 ? (Double) total : null,
                lastReward,
                absentAtEnd + rewards.absent(),
                rewards.size(),
                decided != null ? decided : ended.isSolved(rewards.firstBy(rewardTimes)),
                events,
                ended.nanos(),
                lastLine);
    }
}
