package dev.rlm.server.rollout;

import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.RunStarted;
import dev.rlm.sinks.event.RunStatus;
import dev.rlm.sinks.event.SpanRecorded;
import dev.rlm.sinks.schema.GatewayRuns;
import dev.rlm.sinks.schema.LateEvents;
import dev.rlm.sinks.schema.RewardTotals;
import dev.rlm.sinks.schema.RewardVersion;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * State of a rollout, as the events of its runs tell it: the same ones live and from the journal. Of several attempts it is
 * the last one's. Immutable.
 *
 * @param run the last run
 * @param logs in order, of the attempt's runs
 * @param lastCalls those that were answered
 * @param calls how many calls there were, failed ones too
 * @param end of the last run; {@code null} where it goes on
 * @param heardAt time of the last event
 * @param rewards of the last run, those that came after its end included; they are never changed
 */
record RolloutState(
        RunInfo run,
        RolloutIds ids,
        List<LogEntry> logs,
        LastCalls lastCalls,
        int calls,
        @Nullable RunEnded end,
        Instant heardAt,
        RewardTotals rewards) {
    /** The environment of runs that are begun here, but of those of a command. */
    static final String ENVIRONMENT = GatewayRuns.ENVIRONMENT;

    /** The parameter of a run of the command, which is its value, that makes the calls. */
    static final String COMMAND = "wrapped_command";

    /** The parameter of a run that goes on with the attempt of an earlier run, which is its value. */
    static final String CONTINUES = "continues_run";

    /** The parameter of a run that holds logs of a rollout whose run, which is its value, others record. */
    static final String LOGS_OF = "logs_of_run";

    /** The span that tells of ids which were not known at the run's start. */
    static final String IDS_SPAN = "rollout.ids";

    /** Reason of the end of runs that were open when the gateway ended. They may go on with the next one. */
    static final String STOPPED = "the gateway was stopped";

    private static final int MAX_LOGS = 1_000;

    /** The state after an event; {@code null} where the rollout is not known yet and the event does not start it. */
    static @Nullable RolloutState after(@Nullable RolloutState before, RunEvent event) {
        if (before == null) {
            return event instanceof RunStarted start ? started(null, start.run()) : null;
        }
        boolean same = before.run.runId().equals(event.run().runId());
        boolean beside = !isOwn(before.run) && isOwn(event.run());
        if (event instanceof RunStarted start) {
            return beside && before.isToldBy(event.run()) ? before : started(before, start.run());
        }
        return same || (beside && event instanceof SpanRecorded)
                ? before.after(event)
                : before; // of an attempt that was given up
    }

    private static RolloutState started(@Nullable RolloutState before, RunInfo run) {
        RolloutIds ids = RolloutIds.of(run);
        return before != null && before.isContinuedBy(run)
                ? new RolloutState(
                        run,
                        ids.or(before.ids.values()),
                        before.logs,
                        before.lastCalls,
                        before.calls,
                        null,
                        run.startedAt(),
                        new RewardTotals())
                : new RolloutState(run, ids, List.of(), LastCalls.NONE, 0, null, run.startedAt(), new RewardTotals());
    }

    /** Returns whether a run is one of those that are begun here, and that the next process may go on with. */
    static boolean isOwn(RunInfo run) {
        return run.environment().equals(ENVIRONMENT) || run.params().containsKey(COMMAND);
    }

    /** Returns whether a run holds logs or calls of the last run. */
    private boolean isToldBy(RunInfo other) {
        return run.runId().equals(other.params().get(LOGS_OF)) || GatewayRuns.isPart(other, run);
    }

    private boolean isContinuedBy(RunInfo next) {
        boolean onlyLogged = isOwn(run) && calls == 0 && !isOver();
        return run.runId().equals(next.params().get(CONTINUES)) || (onlyLogged && !isOwn(next));
    }

    private RolloutState after(RunEvent event) {
        Instant time = event.time();
        if (event instanceof ModelCalled call) {
            LastCalls last = call.error() == null && call.reply() != null ? lastCalls.with(call) : lastCalls;
            return new RolloutState(run, ids, logs, last, calls + 1, end, time, rewards);
        } else if (event instanceof SpanRecorded span && span.name().equals(LogEntry.SPAN)) {
            return new RolloutState(run, ids, with(LogEntry.of(span)), lastCalls, calls, end, time, rewards);
        } else if (event instanceof SpanRecorded span && span.name().equals(IDS_SPAN)) {
            Map<String, String> more = new LinkedHashMap<>();
            span.attributes().forEach((name, value) -> more.put(name, value.toString()));
            return new RolloutState(run, ids.or(more), logs, lastCalls, calls, end, time, rewards);
        } else if (event instanceof RunEnded ended) {
            return new RolloutState(run, ids, logs, lastCalls, calls, ended, time, rewards);
        } else if (event instanceof RewardGiven reward && !isKnown(reward)) {
            RewardTotals more = new RewardTotals(rewards);
            more.add(reward, end != null);
            return new RolloutState(run, ids, logs, lastCalls, calls, end, time, more);
        }
        return this;
    }

    /** Returns whether a reward is a second opinion, or was told by several at the same time. */
    private boolean isKnown(RewardGiven reward) {
        return RewardVersion.isOpinion(reward)
                || (LateEvents.isLate(reward.seq()) && rewards.has(reward.step(), reward.source(), reward.value()));
    }

    /** Returns its reward; {@code null} where it has none, or one could not be computed. */
    @Nullable
    Double reward() {
        return rewards.absent() > 0 ? null : rewards.total();
    }

    /** The logs with one more. Of very many the oldest go, as long as they tell no status. */
    private List<LogEntry> with(LogEntry entry) {
        List<LogEntry> all = new ArrayList<>(logs);
        all.add(entry);
        if (all.size() > MAX_LOGS) {
            all.remove(all.get(0).isFinal() ? 1 : 0);
        }
        return List.copyOf(all);
    }

    /**
     * Returns the code that trainers poll for; {@code null} where nothing tells of one.
     *
     * @param idle after which time a rollout whose gateway ended counts as ended, too
     */
    @Nullable
    Integer code(Instant now, Duration idle) {
        for (int i = logs.size() - 1; i >= 0; i--) {
            if (logs.get(i).code() != null) {
                return logs.get(i).code();
            }
        }
        if (end != null && (!isOpenEnded() || heardAt.plus(idle).isBefore(now))) {
            return end.status().code();
        }
        return calls > 0 || !isOwn(run) ? RunStatus.RUNNING : null;
    }

    /** Returns whether its run ended with the gateway's process, and not by itself. */
    private boolean isOpenEnded() {
        return end != null
                && isOwn(run)
                && (end.outcome() == Outcome.ABANDONED
                        || (end.outcome() == Outcome.ABORTED
                                && end.status().message().equals(STOPPED)));
    }

    /** Returns whether the attempt has ended: what comes then belongs to another. */
    boolean isOver() {
        return logs.stream().anyMatch(LogEntry::isFinal) || (end != null && !isOpenEnded());
    }

    /** The logs as they are told, newest first; where no line told the end, the run's own end does. */
    List<Map<String, Object>> entries(Instant now, Duration idle) {
        List<Map<String, Object>> entries = new ArrayList<>();
        Integer code = code(now, idle);
        if (end != null
                && code != null
                && code != RunStatus.RUNNING
                && logs.stream().noneMatch(LogEntry::isFinal)) {
            Map<String, Object> told = new LinkedHashMap<>();
            told.put("timestamp", end.time().toString());
            told.put("message", end.status().message());
            told.put("severity", "INFO");
            told.put("tags", ids.tags());
            told.put("status", Map.of("code", code, "message", end.status().message(), "details", details(end)));
            Double reward = reward();
            told.put("extras", reward == null ? Map.of() : Map.of("reward", reward));
            entries.add(told);
        }
        for (int i = logs.size() - 1; i >= 0; i--) {
            entries.add(logs.get(i).told());
        }
        return entries;
    }

    private static List<Object> details(RunEnded end) {
        return end.terminationReason() == null
                ? List.of()
                : List.of(Map.of(
                        "@type",
                        "type.googleapis.com/google.rpc.ErrorInfo",
                        "reason",
                        "TERMINATION_REASON",
                        "domain",
                        "evalprotocol.io",
                        "metadata",
                        Map.of("termination_reason", end.terminationReason())));
    }

    /** Returns the same without what its calls say. */
    RolloutState withoutTexts() {
        return new RolloutState(run, ids, logs, lastCalls.withoutTexts(), calls, end, heardAt, rewards);
    }

    /** About how many bytes it holds. */
    long weight() {
        return textWeight() + 1_024L * (1 + logs.size());
    }

    /** About how many bytes of them the journal tells too. */
    long textWeight() {
        return 2 * lastCalls.length();
    }
}
