package dev.rlm.runs.report.figures;

import dev.rlm.cli.recorded.Scores;
import dev.rlm.runs.NaturalOrder;
import dev.rlm.runs.report.sheets.NamedFigures;
import dev.rlm.sinks.schema.GroupKey;
import dev.rlm.sinks.schema.RunFigures;
import dev.rlm.sinks.schema.statistics.Group;
import dev.rlm.sinks.schema.statistics.Groups;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Results of the runs of a row, added a run at a time. Some bytes a run and call are kept, and no texts. */
public final class RowFigures implements RunCounter {
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

    public RunFigures runs() {
        return results.runs();
    }

    public RunOutcomes ends() {
        return ends;
    }

    public long count(Count count) {
        return counts.getOrDefault(count, 0L);
    }

    public Groups<GroupKey> groups() {
        return results.groups();
    }

    /** The groups without learning signal, by their names. */
    public List<Map.Entry<GroupKey, Group>> groupsWithoutSignal() {
        return groups().flat()
                .sorted(Map.Entry.comparingByKey(NaturalOrder.GROUPS))
                .toList();
    }

    public RewardFigures rewards() {
        return rewards;
    }

    public ScoreFigures scores() {
        return scores;
    }

    public CostFigures costs() {
        return costs;
    }

    /** The plain figures. */
    public NamedFigures fields() {
        Map<Count, Long> all = new EnumMap<>(Count.class);
        Stream.of(Count.values()).forEach(count -> all.put(count, count(count)));
        return results.summary(List.of()).fields(all).putAll(costs.fields());
    }

    /** Returns the estimates for so many attempts. */
    public NamedFigures attempts(int k) {
        return results.attempts(k).fields(k);
    }
}
