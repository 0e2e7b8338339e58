package dev.rlm.runs.health;

import java.util.List;
import java.util.Map;
import java.util.SortedMap;

/** Rules about what the record alone tells: judges, tools, repeated calls, lost events. */
final class RecordRules {
    static final double ABSENT = 0.05; // of the runs: a judge that now and then is busy loses fewer
    private static final int SEVERAL = 3; // runs
    static final double FAILS = 0.2; // of the calls: tools that agents call wrongly fail as often
    private static final double MORE = 0.15; // of the calls than before
    static final double DRIFT = 0.15; // of the span of a judge's rewards
    private static final double NOISES = 3; // standard deviations
    static final double RETRIED = 0.2; // of the runs
    private static final double OFTENER = 0.1; // of the runs than before

    private RecordRules() {}

    static Finding judgeAbsent(Training training, double most) {
        Points absent = training.recorded(Fact.ABSENT);
        if (absent.size() == 0) {
            return Finding.unknown("rewards of runs");
        }
        double all = absent.mean(0, absent.size());
        List<String> runs = training.runs(Fact.ABSENT, "", all >= most ? Double.NEGATIVE_INFINITY : absent.tailStep());
        return Finding.of(runs.size() >= SEVERAL && (all >= most || absent.tailMean() >= most), runs)
                .with("share", all)
                .withMeans("share", absent);
    }

    static Finding judgeDrift(Training training, double most) {
        SortedMap<String, Points> bad = training.all(Fact.JUDGE_OF_BAD);
        Finding finding = Finding.unknown("rewards of kind model, beside rewards of another source");
        for (Map.Entry<String, Points> good : training.all(Fact.JUDGE_OF_GOOD).entrySet()) {
            Points other = bad.getOrDefault(good.getKey(), Points.NONE);
            if (!finding.isFound() && good.getValue().size() >= Training.FEW && other.size() >= Training.FEW) {
                finding = drift(training, most, good.getKey(), good.getValue(), other);
            }
        }
        return finding;
    }

    /** Tells whether a judge's rewards shift the same way for runs that others find good and for those that they find bad. */
    private static Finding drift(Training training, double most, String judge, Points good, Points bad) {
        double much = most * Math.max(training.range(Fact.JUDGE_OF_GOOD), training.range(Fact.JUDGE_OF_BAD));
        double ofGood = shift(good, much);
        double ofBad = shift(bad, much);
        return Finding.of(ofGood * ofBad > 0, training.runs(Fact.JUDGE_OF_GOOD, judge, good.tailStep()))
                .with("judge", judge)
                .withMedians("of_good", good)
                .withMedians("of_bad", bad);
    }

    /** Returns how far the end lies above the beginning; 0 where that is little, or may be chance. */
    private static double shift(Points points, double much) {
        double shift = points.tail() - points.head();
        double least = Math.max(much, NOISES * points.noise() / Math.sqrt(points.size() / 5.0));
        return Math.abs(shift) >= least && Math.abs(points.trend()) > NOISES ? shift : 0;
    }

    static Finding toolFailing(Training training, double most) {
        Finding finding = Finding.unknown("calls of tools at " + Training.FEW + " steps");
        for (Map.Entry<String, Points> tool : training.all(Fact.TOOL_FAILED).entrySet()) {
            if (!finding.isFound() && tool.getValue().size() >= Training.FEW) {
                finding = failing(training, most, tool.getKey(), tool.getValue());
            }
        }
        return finding;
    }

    private static Finding failing(Training training, double most, String tool, Points failed) {
        double first = failed.headMean();
        double last = failed.tailMean();
        boolean found = last >= most && last >= first + MORE;
        double since = found ? failed.since((first + last) / 2) : Double.NaN;
        return Finding.of(found, training.runs(Fact.TOOL_FAILED, tool, failed.tailStep()))
                .with("tool", tool)
                .with("share_first", first)
                .with("share_last", last)
                .since(since);
    }

    static Finding retries(Training training, double most) {
        Points retried = training.recorded(Fact.RETRIED);
        if (retried.size() < Training.FEW) {
            return Finding.unknown(Training.FEW + " steps with runs");
        }
        return Finding.of(
                        retried.tailMean() >= most && retried.tailMean() >= retried.headMean() + OFTENER,
                        training.runs(Fact.RETRIED, "", retried.tailStep()))
                .withMeans("share", retried);
    }

    static Finding lostEvents(Training training, double most) {
        SortedMap<String, Long> losses = training.losses();
        long lost = losses.values().stream().mapToLong(Long::longValue).sum();
        List<String> runs = training.runs(Fact.INCOMPLETE, "", Double.NEGATIVE_INFINITY);
        if (losses.isEmpty() && training.recorded(Fact.INCOMPLETE).size() == 0) {
            return Finding.unknown("runs");
        }
        Finding finding = Finding.of(lost > most || !runs.isEmpty(), runs);
        for (Map.Entry<String, Long> loss : losses.entrySet()) {
            finding = finding.with(loss.getKey(), loss.getValue());
        }
        return finding;
    }
}
