package dev.rlm.runner.job;

import dev.rlm.cli.UsageException;
import dev.rlm.engine.AttemptHistory;
import dev.rlm.engine.JobDescription;
import dev.rlm.episodes.Environment;
import dev.rlm.episodes.EnvironmentProvider;
import dev.rlm.episodes.PolicyProvider;
import dev.rlm.episodes.Role;
import dev.rlm.episodes.Sample;
import dev.rlm.episodes.SampleRequest;
import dev.rlm.episodes.Samples;
import dev.rlm.episodes.SetupException;
import dev.rlm.runner.episode.Episode;
import dev.rlm.runner.episode.EpisodeListener;
import dev.rlm.runner.episode.Rollout;
import dev.rlm.runner.replay.ReplayPolicyProvider;
import dev.rlm.runner.replay.ReplaySummary;
import dev.rlm.runner.replay.ReplayedRun;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.event.Correlation;
import dev.rlm.sinks.event.CorrelationBuilder;
import dev.rlm.sinks.event.TraceContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The episodes that the options ask for. To make one finds all that is wrong. */
final class JobPlan {
    private static final String DATASET = "dataset";

    private final EpisodeOptions options;
    private final EnvironmentProvider environment;
    private final PolicyProvider policy;
    private final @Nullable ReplayPolicyProvider replay; // the policy, where it is that
    private final @Nullable String policyVersion;
    private final Catalog catalog;
    private final TraceContext parent;
    private final @Nullable String processRollout;
    private final List<String> badLines;
    private final List<Role> roles = new ArrayList<>();
    private final int sampleCount;
    private final String digest;

    /**
     * Makes the plan.
     *
     * @param parent the trace that the program was handed
     * @param processRollout the id of the rollout that the process does; {@code null} if it was told none
     */
    JobPlan(EpisodeOptions options, Catalog catalog, TraceContext parent, @Nullable String processRollout) {
        this.options = options;
        this.environment = catalog.environment();
        this.policy = catalog.policy();
        this.replay = catalog.replay();
        this.policyVersion = policy.version();
        this.catalog = catalog;
        this.parent = parent;
        this.processRollout = processRollout;
        SampleRequest request =
                new SampleRequest(options.dataset, options.skipBadLines, options.samples(), options.seed());
        Samples all = replay == null
                ? environment.samples(request)
                : replay.samples(
                        environment::samples,
                        request,
                        options.seed,
                        catalog.toolbox().names());
        this.badLines = all.badLines();
        List<? extends Sample> samples = chosen(all.samples());
        checkModels(samples);
        samples.stream().findFirst().ifPresent(this::checkTools);
        samples.forEach(this::add);
        this.sampleCount = samples.size();
        options.training.checkSize(roles.size(), sampleCount);
        Map<String, String> settings = new HashMap<>(options.settings);
        settings.putAll(options.training.named());
        if (replay != null) {
            settings.put(ReplayPolicyProvider.NAME, replay.runIds());
        }
        this.digest = PlanDigest.of(spec(roles.get(0), ids()).build(), settings, roles);
    }

    /** Returns whether the runs join a trace that the program was handed, which then is that of the job. */
    boolean isInTrace() {
        return parent.traceparent() != null;
    }

    /** Returns what replays came to so far; {@code null} where the job has none. */
    @Nullable
    ReplaySummary replays() {
        return replay == null ? null : replay.summary();
    }

    /** Returns the ids of the first run, of which those of the training are all runs'. */
    Correlation ids() {
        return correlation(roles.get(0), "", 1).build();
    }

    /** Returns the roles of the job, sample by sample. */
    List<Role> roles() {
        return roles;
    }

    /**
     * Returns the rollouts of these roles.
     *
     * @param invocation the job's id
     * @param before the attempts of those that were begun before
     * @param jobSpan the job's span; {@code null} where it has none
     */
    List<Rollout> rollouts(String invocation, Map<RolloutPlace, AttemptHistory> before, @Nullable String jobSpan) {
        return roles.stream()
                .map(role -> rollout(
                        role, before.getOrDefault(place(role), AttemptHistory.NEW), parent, invocation, jobSpan, null))
                .toList();
    }

    /** Returns the rollout of the role at that place, as another process asks for it. */
    Rollout rollout(
            int place, AttemptHistory before, TraceContext within, JobDescription job, @Nullable Duration timeout) {
        return rollout(roles.get(place), before, within, job.invocation(), job.jobSpan(), timeout);
    }

    private Rollout rollout(
            Role role,
            AttemptHistory before,
            TraceContext within,
            String invocation,
            @Nullable String jobSpan,
            @Nullable Duration timeout) {
        return new Rollout(
                before,
                (number, failures) -> episode(role(role, failures), within, invocation, number, jobSpan),
                timeout);
    }

    /** Returns what tells the plan from others. */
    String digest() {
        return digest;
    }

    /** Returns what the program was handed of a trace and baggage. */
    TraceContext parent() {
        return parent;
    }

    private RolloutPlace place(Role role) {
        return new RolloutPlace(options.training.row(role.sample().row()), role.rollout());
    }

    /** Returns whether the process was told a rollout's id that is not used, because the job has several rollouts. */
    boolean leavesRolloutOut() {
        return processRollout != null && roles.size() > 1;
    }

    private String rolloutId(Role role) {
        String given = options.training.rollout;
        if (given == null && processRollout != null && roles.size() == 1) {
            return processRollout;
        }
        return given == null ? role.sample().id() + "-" + role.rollout() : given;
    }

    /** Returns the description by which an earlier job of the same plan is found. */
    Resumption.Wanted wanted(int retries) {
        return new Resumption.Wanted(
                spec(roles.get(0), correlation(roles.get(0), "", 1).build())
                        .param(Resumption.PLAN, digest)
                        .build(),
                roles.size(),
                retries);
    }

    /** Returns the faults of the lines of the data set that were passed over. */
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
        if (catalog.toolbox().names().isEmpty()) {
            return;
        }
        try (Environment sight = environment.create(sample)) {
            catalog.toolbox().briefing(RunSpec.builder("trial").build(), sight);
        } catch (SetupException | UsageException e) {
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
                    roles.add(role(new Role(sample, model, place, 0), 0));
                }
            }
        }
    }

    /** As it is tried after some failures: with another seed, so that what fails by chance does not do so for ever. */
    private Role role(Role role, int failures) {
        String rollout = role.sample().id() + "/" + role.rollout() + (failures == 0 ? "" : "/" + failures);
        return new Role(role.sample(), role.model(), role.rollout(), seed(rollout));
    }

    private Episode episode(Role role, TraceContext within, String invocation, int attempt, @Nullable String jobSpan) {
        ReplayPolicyProvider again = replay;
        return new Episode(
                spec(
                                role,
                                correlation(role, invocation, attempt)
                                        .jobSpan(jobSpan)
                                        .build())
                        .param(Resumption.PLAN, digest)
                        .parent(within)
                        .build(),
                () -> again == null
                        ? environment.create(role.sample())
                        : again.environment(role, environment.create(role.sample())),
                briefing -> policy.create(role, briefing),
                catalog.toolbox(),
                catalog.rewards(),
                role.sample(),
                again == null
                        ? EpisodeListener.NONE
                        : again.begin(role, catalog.rewards().params()));
    }

    private RunSpec.Builder spec(Role role, Correlation ids) {
        RunSpec.Builder spec = RunSpec.builder(environment.name())
                .task(role.sample().task())
                .model(role.model())
                .agent(policy.name(), policyVersion)
                .maxSteps(options.maxSteps())
                .seed(options.seed())
                .passReward(options.passReward)
                .passOn(options.passOn)
                .param("policy", policy.name())
                .correlation(ids);
        role.sample().truth().ifPresent(spec::expectedAnswer);
        environment.params().forEach(spec::param);
        policy.params().forEach(spec::param);
        catalog.rewards().params().forEach(spec::param);
        if (options.dataset != null) {
            spec.param(DATASET, options.dataset.toString());
        }
        if (!catalog.toolbox().names().isEmpty()) {
            spec.param("tools", catalog.toolbox().names());
        }
        spec.param("samples", sampleCount).param("rollouts", options.rollouts());
        options.tags.forEach(spec::tag);
        if (replay != null) {
            tellOf(replay.run(role), spec);
        }
        return spec;
    }

    /** Says of a replay which run it is of, and what it has from there. */
    private void tellOf(ReplayedRun run, RunSpec.Builder spec) {
        spec.tag(ReplayPolicyProvider.TAG, run.id());
        Integer steps = options.limitsSteps() ? null : ReplayPolicyProvider.maxSteps(run);
        if (steps != null) {
            spec.maxSteps(steps);
        }
        if (options.seed == null && run.info().seed() != null) {
            spec.seed(run.info().seed());
        }
        String recorded = run.param(DATASET);
        if (options.dataset == null && recorded != null) {
            spec.param(DATASET, recorded);
        }
    }

    private CorrelationBuilder correlation(Role role, String invocation, int attempt) {
        Sample sample = role.sample();
        String version = replay == null
                ? policyVersion
                : replay.run(role).info().correlation().policyVersion();
        return options.training
                .addTo(Correlation.builder().policyVersion(version))
                .invocation(invocation)
                .rollout(rolloutId(role))
                .sample(sample.id())
                .row(options.training.row(sample.row()))
                .trajectoryIndex(role.rollout())
                .attempt(attempt);
    }

    /** A seed of its own for each rollout, so that an outcome does not hang on which run comes first. */
    private long seed(String rollout) {
        long mixed = options.seed();
        for (int i = 0; i < rollout.length(); i++) {
            mixed = mixed * 1_000_003 + rollout.charAt(i);
        }
        return mixed;
    }
}
