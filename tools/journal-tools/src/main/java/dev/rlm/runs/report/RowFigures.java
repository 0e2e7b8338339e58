package dev.rlm.runs.report;

import dev.rlm.runs.NaturalOrder;
import dev.rlm.runs.Scores;
import dev.rlm.sinks.schema.GroupKey;
import dev.rlm.sinks.schema.RunFigures;
import dev.rlm.sinks.schema.statistics.Group;
import dev.rlm.sinks.schema.statistics.Groups;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Results of the runs of a row, added a run at a time. Some bytes a run and call are kept, and no texts. */
final class RowFigures implements RunCounter {
    private final ResultFigures results = new ResultFigures();
    private final RunOutcomes ends = new RunOutcomes();
    private final Map<Count, Long> counts = new EnumMap<>(Count.class);
    private final RewardFigures rewards = new RewardFigures();
    private final ScoreFigures scores = new ScoreFigures();
    private final CostFigures costs = new CostFigures();

    @Override
    public void add(RunFacts run) {
        results.add(run.summary().row().run(), run.result());
        ends.add(run.summary());
        for (Count count : Count.values()) {
            counts.merge(count, count.of(run), Long::sum);
        }
        run.rewards().forEach(rewards::add);
        Scores.of(run.rows()).forEach(scores::add);
        costs.add(run);
    }

    RunFigures runs() {
        return results.runs();
    }

    RunOutcomes ends() {
        return ends;
    }

    long count(Count count) {
        return counts.getOrDefault(count, 0L);
    }

    Groups<GroupKey> groups() {
        return results.groups();
    }

    /** The groups without learning signal, by their names. */
    List<Map.Entry<GroupKey, Group>> groupsWithoutSignal() {
        return groups().flat()
                .sorted(Map.Entry.comparingByKey(NaturalOrder.GROUPS))
                .toList();
    }

    RewardFigures rewards() {
        return rewards;
    }

    ScoreFigures scores() {
        return scores;
    }

    CostFigures costs() {
        return costs;
    }

    /** The plain figures. */
    NamedFigures fields() {
        Map<Count, Long> all = new EnumMap<>(Count.class);
        Stream.of(Count.values()).forEach(count -> all.put(count, count(count)));
        return results.summary(List.of()).fields(all).putAll(costs.fields());
    }

    /** Returns the estimates for so many attempts. */
    NamedFigures attempts(int k) {
        return results.attempts(k).fields(k);
    }
}
