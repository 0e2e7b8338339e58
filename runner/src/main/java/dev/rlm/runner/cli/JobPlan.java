package dev.rlm.runner.cli;

import dev.rlm.episodes.Environment;
import dev.rlm.episodes.EnvironmentProvider;
import dev.rlm.episodes.PolicyProvider;
import dev.rlm.episodes.Role;
import dev.rlm.episodes.Sample;
import dev.rlm.episodes.SampleRequest;
import dev.rlm.episodes.Samples;
import dev.rlm.episodes.SetupException;
import dev.rlm.runner.episode.Episode;
import dev.rlm.runner.episode.Toolbox;
import dev.rlm.runner.reward.Rewards;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.event.Correlation;
import dev.rlm.sinks.event.TraceContext;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

/** The episodes that the options ask for. To make one finds all that is wrong. */
final class JobPlan {
    private final EpisodeOptions options;
    private final EnvironmentProvider environment;
    private final PolicyProvider policy;
    private final Rewards rewards;
    private final Toolbox toolbox;
    private final TraceContext parent;
    private final String invocation = UUID.randomUUID().toString();
    private final List<String> badLines;
    private final List<Episode> episodes = new ArrayList<>();

    /**
     * Makes the plan.
     *
     * @param toolbox what all agents may call
     * @param parent what has started the program has handed down
     */
    JobPlan(EpisodeOptions options, Catalog catalog, Toolbox toolbox, TraceContext parent) {
        this.options = options;
        this.environment = catalog.environment();
        this.policy = catalog.policy();
        this.rewards = catalog.rewards();
        this.toolbox = toolbox;
        this.parent = parent;
        Samples all = environment.samples(
                new SampleRequest(options.dataset, options.skipBadLines, options.samples(), options.seed));
        this.badLines = all.badLines();
        List<? extends Sample> samples = chosen(all.samples());
        checkModels(samples);
        samples.stream().findFirst().ifPresent(this::checkTools);
        samples.forEach(this::add);
    }

    /** The episodes, sample by sample. */
    List<Episode> episodes() {
        return episodes;
    }

    /** What was wrong with the lines of the data set that were passed over. */
    List<String> badLines() {
        return badLines;
    }

    private List<? extends Sample> chosen(List<? extends Sample> samples) {
        Set<String> ids = samples.stream().map(Sample::id).collect(Collectors.toCollection(LinkedHashSet::new));
        options.sampleIds.forEach(id -> UsageException.checkKnown("sample", id, ids));
        return samples.stream()
                .filter(sample -> options.sampleIds.isEmpty() || options.sampleIds.contains(sample.id()))
                .limit(options.limit == null ? Long.MAX_VALUE : options.limit)
                .toList();
    }

    private void checkModels(List<? extends Sample> samples) {
        Set<String> models = samples.stream()
                .flatMap(sample -> policy.models(sample).stream())
                .collect(Collectors.toCollection(LinkedHashSet::new));
        if (models.isEmpty()) {
            throw new UsageException("--policy " + policy.name() + ": "
                    + (options.dataset == null ? "the environment" : options.dataset) + " has no solutions of models");
        }
        options.models.forEach(model -> UsageException.checkKnown("model", model, models));
    }

    /** No tool may be taken for one of the environment's actions. */
    @SuppressWarnings("EmptyCatch") // what is wrong with the environment itself each run will tell
    private void checkTools(Sample sample) {
        if (toolbox.names().isEmpty()) {
            return;
        }
        try (Environment sight = environment.create(sample)) {
            toolbox.briefing(sight);
        } catch (SetupException e) {
            throw e;
        } catch (Exception e) {
            // see above
        }
    }

    private void add(Sample sample) {
        int place = 0;
        for (String model : policy.models(sample)) {
            for (int i = 0; i < options.rollouts(); i++, place++) {
                if (options.models.isEmpty() || options.models.contains(model)) {
                    episodes.add(episode(new Role(sample, model, place, seed(sample, place))));
                }
            }
        }
    }

    private Episode episode(Role role) {
        return new Episode(
                spec(role).build(),
                () -> environment.create(role.sample()),
                briefing -> policy.create(role, briefing),
                toolbox,
                rewards.judge(role.sample()));
    }

    private RunSpec.Builder spec(Role role) {
        RunSpec.Builder spec = RunSpec.builder(environment.name())
                .task(role.sample().task())
                .model(role.model())
                .maxSteps(options.maxSteps)
                .seed(options.seed)
                .passReward(options.passReward)
                .passOn(options.passOn)
                .param("policy", policy.name())
                .parent(parent)
                .correlation(correlation(role));
        environment.params().forEach(spec::param);
        policy.params().forEach(spec::param);
        rewards.params().forEach(spec::param);
        if (options.dataset != null) {
            spec.param("dataset", options.dataset.toString());
        }
        if (!toolbox.names().isEmpty()) {
            spec.param("tools", toolbox.names());
        }
        options.tags.forEach(spec::tag);
        return spec;
    }

    private Correlation correlation(Role role) {
        Sample sample = role.sample();
        return Correlation.builder()
                .invocation(invocation)
                .rollout(sample.id() + "-" + role.rollout())
                .sample(sample.id())
                .row(String.valueOf(sample.row()))
                .trajectoryIndex(role.rollout())
                .build();
    }

    /** A seed of its own for each rollout, so that an outcome does not hang on which run comes first. */
    private long seed(Sample sample, int place) {
        long mixed = options.seed;
        for (char c : (sample.id() + "/" + place).toCharArray()) {
            mixed = mixed * 1_000_003 + c;
        }
        return mixed;
    }
}
