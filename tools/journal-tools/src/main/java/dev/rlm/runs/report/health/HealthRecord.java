package dev.rlm.runs.report.health;

import dev.rlm.cli.recorded.TokenTurn;
import dev.rlm.runs.health.Fact;
import dev.rlm.runs.health.GarbledText;
import dev.rlm.runs.health.Training;
import dev.rlm.runs.report.figures.RunCounter;
import dev.rlm.runs.report.figures.RunFacts;
import dev.rlm.runs.report.tokens.TokenAudit;
import dev.rlm.sinks.event.Correlation;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.RewardComponent;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.SpanRecorded;
import dev.rlm.sinks.event.ToolCalled;
import dev.rlm.sinks.schema.GroupKey;
import dev.rlm.sinks.schema.RewardVersion;
import dev.rlm.sinks.schema.RunResult;
import dev.rlm.sinks.schema.statistics.Group;
import java.time.Duration;
import java.util.ArrayList;
import java.util.DoubleSummaryStatistics;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Facts of runs by the steps of their training, for the rules of its health. Of a run its id and its reply's hash are kept. */
public final class HealthRecord implements RunCounter {
    /** The events that it needs. */
    public static final Set<Class<? extends RunEvent>> KINDS =
            Set.of(ModelCalled.class, SpanRecorded.class, ToolCalled.class, RewardGiven.class);

    private static final Set<String> VALIDATION = Set.of("validation", "valid", "val", "test", "eval", "evaluation");
    private static final int LONG = 40; // characters of a reply that several runs do not give by chance
    private static final double NANOS = 1e9;

    private final Training training = new Training();
    private final TrainingAxis axis;
    private final Map<GroupKey, GroupRuns> groups = new HashMap<>();
    private final Set<String> trainings = new HashSet<>();
    private final List<Judged> judged = new ArrayList<>();
    private long runs;

    public HealthRecord(TrainingAxis axis) {
        this.axis = axis;
    }

    @Override
    public void add(RunFacts run) {
        double step = axis.of(run.summary());
        String id = run.summary().runId();
        Correlation ids = run.summary().row().run().correlation();
        RunResult result = run.result();
        runs++;
        trainings.add(ids.experiment() + "\n" + ids.trainerRun());
        training.add(Fact.INCOMPLETE, "", step, run.summary().isIncomplete(), id);
        if (ids.split() != null && VALIDATION.contains(ids.split().toLowerCase(Locale.ROOT))) {
            Double reward = result.usableReward();
            if (reward != null) {
                training.add(Fact.VALIDATION_REWARD, "", step, reward, -reward, id);
            }
        } else {
            trained(run, step, id);
        }
    }

    private void trained(RunFacts run, double step, String id) {
        RunResult result = run.result();
        GroupRuns group =
                groups.computeIfAbsent(GroupKey.of(run.summary().row().run()), key -> new GroupRuns(step, id));
        Double reward = result.usableReward();
        if (reward != null) {
            training.add(Fact.REWARD, "", step, reward, reward, id);
            group.rewards.add(reward.doubleValue());
        }
        Duration duration = result.duration();
        if (result.counts() && duration != null) {
            double seconds = duration.toNanos() / NANOS;
            training.add(Fact.SECONDS, "", step, seconds, seconds, id);
        }
        rewards(run, step, id);
        calls(run, step, id);
        replies(TokenTurn.of(run.events()), step, id, group);
    }

    private static <E extends RunEvent> Stream<E> all(Class<E> kind, RunFacts run) {
        return run.events().stream().filter(kind::isInstance).map(kind::cast);
    }

    private void rewards(RunFacts run, double step, String id) {
        List<RewardGiven> rewards = all(RewardGiven.class, run)
                .filter(reward -> !RewardVersion.isOpinion(reward))
                .toList();
        if (!rewards.isEmpty() && run.result().counts()) {
            training.add(Fact.ABSENT, "", step, run.result().rewardAbsent(), id);
        }
        parts(rewards).forEach((part, value) -> training.add(Fact.PART, part, step, value, value, id));
        List<RewardGiven> finite = rewards.stream()
                .filter(reward -> Double.isFinite(reward.value()))
                .toList();
        List<RewardGiven> others = finite.stream()
                .filter(reward -> reward.kind() != RewardGiven.Kind.MODEL)
                .toList();
        double sum = others.stream().mapToDouble(RewardGiven::value).sum();
        if (!others.isEmpty()) {
            sources(finite.stream().filter(reward -> reward.kind() == RewardGiven.Kind.MODEL))
                    .forEach((judge, value) -> judged.add(new Judged(step, id, judge, value, sum)));
        }
    }

    /** The parts that a run's rewards name; where they name none, their sources. */
    private static Map<String, Double> parts(List<RewardGiven> rewards) {
        Map<String, Double> parts = new TreeMap<>();
        for (RewardGiven reward : rewards) {
            for (RewardComponent part : reward.components()) {
                double share = part.value() * part.weight();
                if (Double.isFinite(share)) {
                    parts.merge(part.name(), share, Double::sum);
                }
            }
        }
        return parts.isEmpty() ? sources(rewards.stream()) : parts;
    }

    private static Map<String, Double> sources(Stream<RewardGiven> rewards) {
        return rewards.filter(reward -> Double.isFinite(reward.value()))
                .collect(Collectors.groupingBy(
                        RewardGiven::source, TreeMap::new, Collectors.summingDouble(RewardGiven::value)));
    }

    private void calls(RunFacts run, double step, String id) {
        List<ModelCalled> models = all(ModelCalled.class, run).toList();
        List<ToolCalled> tools = all(ToolCalled.class, run).toList();
        boolean retried = run.summary().attempt() > 1
                || models.stream().anyMatch(call -> call.retries() > 0)
                || tools.stream().anyMatch(call -> call.retries() > 0);
        training.add(Fact.RETRIED, "", step, retried, id);
        tools.forEach(call -> training.add(Fact.TOOL_FAILED, call.tool(), step, call.failed(), id));
        if (run.summary().hasTimesWithin()) {
            Map<String, Double> seconds = new TreeMap<>();
            models.forEach(call -> seconds.merge("model calls", call.duration().toNanos() / NANOS, Double::sum));
            tools.forEach(
                    call -> seconds.merge("tool " + call.tool(), call.duration().toNanos() / NANOS, Double::sum));
            seconds.forEach((kind, time) -> training.add(Fact.CALL_SECONDS, kind, step, time, time, id));
        }
    }

    private void replies(List<TokenTurn> turns, double step, String id, GroupRuns group) {
        List<Long> tokens = turns.stream()
                .map(turn -> turn.call().usage().outputTokens())
                .filter(Objects::nonNull)
                .toList();
        if (!tokens.isEmpty()) {
            double sum = (double) tokens.stream().mapToLong(Long::longValue).sum();
            training.add(Fact.RESPONSE_TOKENS, "", step, sum, sum, id);
        }
        List<String> reasons = turns.stream()
                .map(turn -> turn.call().finishReason())
                .filter(Objects::nonNull)
                .toList();
        if (!reasons.isEmpty()) {
            training.add(Fact.CUT, "", step, reasons.stream().anyMatch(TokenAudit::isCut), id);
        }
        List<String> texts = turns.stream()
                .map(turn ->
                        Objects.requireNonNull(turn.call().reply()).content().text())
                .filter(text -> !GarbledText.isTooShort(text))
                .toList();
        if (!texts.isEmpty()) {
            training.add(Fact.GARBLED, "", step, texts.stream().anyMatch(GarbledText::is), id);
            String last = texts.get(texts.size() - 1);
            if (last.length() >= LONG) {
                group.replies
                        .computeIfAbsent(last.hashCode(), hash -> new ArrayList<>())
                        .add(id);
            }
        }
    }

    /** Returns all that is known, once the last run was added. */
    Training training() {
        groups.values().forEach(this::add);
        groups.clear();
        DoubleSummaryStatistics others =
                judged.stream().mapToDouble(Judged::others).summaryStatistics();
        double middle = others.getMin() + (others.getMax() - others.getMin()) / 2;
        judged.forEach(run -> training.add(
                run.others > middle ? Fact.JUDGE_OF_GOOD : Fact.JUDGE_OF_BAD,
                run.judge,
                run.step,
                run.value,
                run.value,
                run.id));
        judged.clear();
        return training;
    }

    private void add(GroupRuns group) {
        if (group.rewards.isComparable()) {
            training.add(Fact.FLAT, "", group.step, group.rewards.isFlat(), group.run);
        }
        if (group.replies.values().stream().mapToInt(List::size).sum() > 1) {
            group.replies
                    .values()
                    .forEach(same ->
                            same.forEach(run -> training.add(Fact.ALIKE, "", group.step, same.size() > 1, run)));
        }
    }

    long runs() {
        return runs;
    }

    /** Returns of how many trainings, as their experiments and trainers' runs tell, the runs are. */
    int trainings() {
        return trainings.size();
    }

    TrainingAxis axis() {
        return axis;
    }

    /**
     * Reward that a judge gave a run.
     *
     * @param others the sum of its other rewards
     */
    private record Judged(double step, String id, String judge, double value, double others) {}

    /** The runs of a group. */
    private static final class GroupRuns {
        private final double step;
        private final String run;
        private final Group rewards = new Group();
        private final Map<Integer, List<String>> replies = new HashMap<>();

        GroupRuns(double step, String run) {
            this.step = step;
            this.run = run;
        }
    }
}
