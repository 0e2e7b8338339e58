package dev.rlm.runner.cli;

import dev.rlm.runner.calc.CalcEnvironment;
import dev.rlm.runner.calc.DataSet;
import dev.rlm.runner.calc.DataSetException;
import dev.rlm.runner.calc.DataSetReader;
import dev.rlm.runner.calc.Problem;
import dev.rlm.runner.calc.ProblemGenerator;
import dev.rlm.runner.calc.Solution;
import dev.rlm.runner.episode.Episode;
import dev.rlm.runner.episode.Policy;
import dev.rlm.runner.policy.RecordedPolicy;
import dev.rlm.runner.policy.ScriptedPolicy;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.event.Correlation;
import dev.rlm.sinks.event.TraceContext;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;

/** The episodes that the options ask for, in the environment {@code calc}. To make one finds all that is wrong. */
final class CalcPlan {
    private final EpisodeOptions options;
    private final TraceContext parent;
    private final String invocation = UUID.randomUUID().toString();
    private final List<String> badLines = new ArrayList<>();
    private final List<Episode> episodes = new ArrayList<>();

    /**
     * Makes the plan.
     *
     * @param parent what has started the program has handed down
     */
    CalcPlan(EpisodeOptions options, TraceContext parent) throws DataSetException {
        this.options = options;
        this.parent = parent;
        options.check();
        List<Problem> problems = chosen(problems());
        Set<String> models = models(problems);
        options.models.forEach(model -> UsageException.checkKnown("model", model, models));
        for (Problem problem : problems) {
            add(problem);
        }
    }

    /** The episodes, sample by sample. */
    List<Episode> episodes() {
        return episodes;
    }

    /** What was wrong with the lines of the data set that were passed over. */
    List<String> badLines() {
        return badLines;
    }

    private List<Problem> problems() throws DataSetException {
        if (options.dataset == null) {
            return ProblemGenerator.generate(options.seed, options.samples());
        }
        DataSet read = DataSetReader.read(options.dataset, options.skipBadLines);
        badLines.addAll(read.badLines());
        return read.problems();
    }

    private List<Problem> chosen(List<Problem> problems) {
        Set<String> ids = problems.stream().map(Problem::id).collect(Collectors.toCollection(LinkedHashSet::new));
        options.sampleIds.forEach(id -> UsageException.checkKnown("sample", id, ids));
        return problems.stream()
                .filter(problem -> options.sampleIds.isEmpty() || options.sampleIds.contains(problem.id()))
                .limit(options.limit == null ? Long.MAX_VALUE : options.limit)
                .toList();
    }

    private Set<String> models(List<Problem> problems) {
        if (!options.isRecorded()) {
            return Set.of(ScriptedPolicy.NAME);
        }
        Set<String> models = problems.stream()
                .flatMap(problem -> problem.recorded().keySet().stream())
                .collect(Collectors.toCollection(LinkedHashSet::new));
        if (models.isEmpty()) {
            throw new UsageException("--policy recorded: " + options.dataset + " has no solutions of models");
        }
        return models;
    }

    private void add(Problem problem) {
        int place = 0;
        if (!options.isRecorded()) {
            for (; place < options.rollouts(); place++) {
                episodes.add(scripted(problem, place));
            }
            return;
        }
        for (Map.Entry<String, Solution> recorded : problem.recorded().entrySet()) {
            for (int i = 0; i < options.rollouts(); i++, place++) {
                if (options.models.isEmpty() || options.models.contains(recorded.getKey())) {
                    episodes.add(recorded(problem, place, recorded.getKey(), recorded.getValue()));
                }
            }
        }
    }

    private Episode scripted(Problem problem, int place) {
        RunSpec.Builder spec =
                spec(problem, place, ScriptedPolicy.NAME).seed(options.seed).param("error_rate", options.errorRate());
        return episode(
                spec,
                problem,
                () -> new ScriptedPolicy(problem, random(problem, place), options.errorRate(), options.latency));
    }

    private Episode recorded(Problem problem, int place, String model, Solution solution) {
        return episode(
                spec(problem, place, model), problem, () -> new RecordedPolicy(model, solution, options.latency));
    }

    private Episode episode(RunSpec.Builder spec, Problem problem, Supplier<Policy> policy) {
        return new Episode(spec.build(), () -> new CalcEnvironment(problem, options.shaping()), policy);
    }

    private RunSpec.Builder spec(Problem problem, int place, String model) {
        RunSpec.Builder spec = RunSpec.builder(CalcEnvironment.NAME)
                .task(problem.question())
                .model(model)
                .maxSteps(options.maxSteps)
                .passReward(options.passReward)
                .passOn(options.passOn)
                .param("policy", options.policy)
                .param("shaping", options.shaping())
                .parent(parent)
                .correlation(correlation(problem, place));
        if (options.dataset != null) {
            spec.param("dataset", options.dataset.toString());
        }
        options.tags.forEach(spec::tag);
        return spec;
    }

    private Correlation correlation(Problem problem, int place) {
        return Correlation.builder()
                .invocation(invocation)
                .rollout(problem.id() + "-" + place)
                .sample(problem.id())
                .row(String.valueOf(problem.row()))
                .trajectoryIndex(place)
                .build();
    }

    /** A source of its own for each rollout, so that an outcome does not hang on which run comes first. */
    private RandomGenerator random(Problem problem, int place) {
        long mixed = options.seed;
        for (char c : (problem.id() + "/" + place).toCharArray()) {
            mixed = mixed * 1_000_003 + c;
        }
        return new SplittableRandom(mixed);
    }
}
