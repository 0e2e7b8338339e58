package dev.rlm.runner.replay;

import dev.rlm.episodes.Briefing;
import dev.rlm.episodes.Environment;
import dev.rlm.episodes.Policy;
import dev.rlm.episodes.PolicyProvider;
import dev.rlm.episodes.Role;
import dev.rlm.episodes.Sample;
import dev.rlm.episodes.SampleRequest;
import dev.rlm.episodes.Samples;
import dev.rlm.episodes.SetupException;
import dev.rlm.episodes.ToolSpec;
import dev.rlm.runner.episode.EpisodeListener;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Makes policies that say again what was recorded. Safe for use by several threads once it knows its samples. */
public final class ReplayPolicyProvider implements PolicyProvider {
    /** Its name. */
    public static final String NAME = "replay";

    /** The tag of a replay that names the run that it replays. */
    public static final String TAG = "replay_of";

    private final List<ReplayedRun> runs;
    private final boolean recordedTools;
    private final IdentityHashMap<Sample, List<ReplayedRun>> bySample =
            new IdentityHashMap<>(); // ids may be those of several files
    private final Map<String, String> missing = new LinkedHashMap<>(); // why a run is not replayed, by its id
    private final Map<String, RunReplay> replays = new ConcurrentHashMap<>(); // the last attempts, by the run's id
    private volatile UnaryOperator<String> redaction = UnaryOperator.identity();

    /**
     * Creates one for these runs.
     *
     * @param recordedTools whether tools answer from the record
     */
    public ReplayPolicyProvider(List<ReplayedRun> runs, boolean recordedTools) {
        this.runs = List.copyOf(runs);
        this.recordedTools = recordedTools;
    }

    @Override
    public String name() {
        return NAME;
    }

    /**
     * Finds the samples of the runs.
     *
     * @param environment makes samples
     * @param asked what is asked for; the seed and the data set are those of the record where the next says nothing else
     * @param seed that was given; {@code null} for none
     * @param tools that are there beside the environment's
     * @throws SetupException if no run can be replayed
     */
    public Samples samples(
            Function<SampleRequest, Samples> environment,
            SampleRequest asked,
            @Nullable Long seed,
            Collection<String> tools) {
        int count = runs.stream()
                .map(each -> each.info().correlation().row())
                .filter(row -> row != null && row.matches("\\d{1,6}"))
                .mapToInt(Integer::parseInt)
                .reduce(asked.count(), Math::max);
        Map<SampleRequest, KnownSamples> made = new LinkedHashMap<>();
        Set<Sample> found = new LinkedHashSet<>();
        for (ReplayedRun run : runs) {
            String why = run.steps().isEmpty() ? run.gap() : missingTool(run, tools);
            if (why == null) {
                SampleRequest request = request(run, asked, count, seed);
                Sample sample = made.computeIfAbsent(request, each -> KnownSamples.of(environment.apply(each)))
                        .find(run);
                if (sample != null) {
                    found.add(sample);
                    bySample.computeIfAbsent(sample, unknown -> new ArrayList<>())
                            .add(run);
                } else {
                    why = "environment " + run.info().environment() + " has no sample '"
                            + run.info().correlation().sample() + "'"
                            + (request.dataset() == null
                                    ? " by the seed " + request.seed()
                                    : " in " + request.dataset());
                }
            }
            if (why != null) {
                missing.put(run.id(), why);
            }
        }
        if (found.isEmpty()) {
            missing.forEach((id, why) -> {
                throw new SetupException("run " + id + " cannot be replayed: " + why
                        + (missing.size() == 1 ? "" : "; nor can the other " + (missing.size() - 1)));
            });
        }
        return new Samples(
                List.copyOf(found),
                made.values().stream()
                        .flatMap(samples -> samples.all().badLines().stream())
                        .toList());
    }

    private @Nullable String missingTool(ReplayedRun run, Collection<String> there) {
        return tools(run).stream()
                .filter(tool -> !recordedTools && !there.contains(tool))
                .findFirst()
                .map(tool -> "its tool '" + tool
                        + "' is not there: expected --mcp with its server, or --replay-tools recorded")
                .orElse(null);
    }

    /** Returns the tools that it had beside those of its environment. */
    private static List<String> tools(ReplayedRun run) {
        return run.info().params().get("tools") instanceof List<?> names
                ? names.stream().map(String::valueOf).toList()
                : List.of();
    }

    private static SampleRequest request(ReplayedRun run, SampleRequest asked, int count, @Nullable Long seed) {
        String file = run.param("dataset");
        Path dataset = asked.dataset() != null || file == null ? asked.dataset() : Path.of(file);
        return new SampleRequest(dataset, asked.skipBadLines(), count, seed(run, asked.seed(), seed));
    }

    private static long seed(ReplayedRun run, long usual, @Nullable Long given) {
        Long recorded = run.info().seed();
        return given != null ? given : recorded != null ? recorded : usual;
    }

    /** Samples, which are looked for by their ids, else by their tasks; of several the first is found. */
    private record KnownSamples(Samples all, Map<String, Sample> byId, Map<String, Sample> byTask) {
        static KnownSamples of(Samples all) {
            KnownSamples known = new KnownSamples(all, new HashMap<>(), new HashMap<>());
            for (Sample sample : all.samples()) {
                known.byId.putIfAbsent(sample.id(), sample);
                known.byTask.putIfAbsent(sample.task(), sample);
            }
            return known;
        }

        @Nullable
        Sample find(ReplayedRun run) {
            Sample sameTask = byTask.get(run.info().task().text());
            String id = run.info().correlation().sample();
            return id == null ? sameTask : byId.getOrDefault(id, sameTask);
        }
    }

    @Override
    public List<String> models(Sample sample) {
        return bySample.getOrDefault(sample, List.of()).stream()
                .map(run -> run.info().model())
                .toList();
    }

    /** Returns the run that is replayed in that role. */
    public ReplayedRun run(Role role) {
        return Objects.requireNonNull(bySample.get(role.sample())).get(role.rollout());
    }

    /** Returns after how many steps a replay of it is cut off; {@code null} where the record does not say. */
    public static @Nullable Integer maxSteps(ReplayedRun run) {
        int recorded = run.info().maxSteps();
        return run.gap() != null ? (Integer) run.steps().size() : recorded == 0 ? null : (Integer) recorded;
    }

    /** Has what is compared with the record redacted by this. */
    public void redactBy(UnaryOperator<String> function) {
        redaction = function;
    }

    /**
     * Begins with an attempt in that role; what is returned compares it with the record.
     *
     * @param rewards the parameters that tell by which functions it is rewarded
     */
    public EpisodeListener begin(Role role, Map<String, Object> rewards) {
        ReplayedRun run = run(role);
        boolean same = same("reward", run, rewards) && same("step_reward", run, rewards);
        RunReplay replay = new RunReplay(run, same, redaction);
        replays.put(run.id(), replay);
        return replay;
    }

    private static boolean same(String param, ReplayedRun run, Map<String, Object> rewards) {
        return Objects.equals(run.param(param), rewards.get(param));
    }

    private RunReplay replay(Role role) {
        return Objects.requireNonNull(replays.get(run(role).id()), "not begun");
    }

    /** Returns the environment with tools that answer as it was asked for. */
    public Environment environment(Role role, Environment live) {
        return recordedTools ? new RecordedTools(live, replay(role)) : live;
    }

    @Override
    public Policy create(Role role, Briefing briefing) {
        return new ReplayPolicy(replay(role), recordedTools ? withTools(briefing, tools(run(role))) : briefing);
    }

    private static Briefing withTools(Briefing briefing, List<String> names) {
        List<ToolSpec> all = new ArrayList<>(briefing.tools());
        names.stream()
                .filter(name -> all.stream().noneMatch(tool -> tool.name().equals(name)))
                .forEach(name -> all.add(new ToolSpec(name, "", "{\"type\":\"object\"}", null)));
        return new Briefing(briefing.run(), briefing.instructions(), all, briefing.understand());
    }

    @Override
    public Map<String, Object> params() {
        return recordedTools ? Map.of("replay_tools", "recorded") : Map.of();
    }

    /** Returns the ids of the runs, which tell this job's plan from others. */
    public String runIds() {
        return String.join(",", runs.stream().map(ReplayedRun::id).toList());
    }

    /** Returns what is to be known before: what is not, or not wholly, replayed, and what is not as it was said. */
    public List<String> warnings() {
        List<String> warnings = new ArrayList<>();
        missing.forEach((id, why) -> warnings.add("run " + id + " is not replayed: " + why));
        for (ReplayedRun run : runs) {
            if (!missing.containsKey(run.id()) && run.gap() != null) {
                warnings.add("run " + run.id() + " is replayed up to step "
                        + run.steps().size() + " only: " + run.gap());
            }
            run.steps().stream()
                    .filter(RecordedStep::isAltered)
                    .findFirst()
                    .ifPresent(step -> warnings.add("run " + run.id() + " step " + step.number()
                            + ": the replay is of redacted or cut text, and not of what the model said"));
        }
        return warnings;
    }

    /** Returns what the replays have come to so far. */
    public ReplaySummary summary() {
        return ReplaySummary.of(
                runs.stream()
                        .map(run -> replays.get(run.id()))
                        .filter(Objects::nonNull)
                        .filter(RunReplay::hasEnded)
                        .toList(),
                missing);
    }
}
