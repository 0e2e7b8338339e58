package dev.rlm.runner.job;

import dev.rlm.cli.RunFilter;
import dev.rlm.cli.UsageException;
import dev.rlm.journal.Journal;
import dev.rlm.journal.RunSummary;
import dev.rlm.journal.index.IndexCache;
import dev.rlm.runner.replay.ReplayOptions;
import dev.rlm.runner.replay.ReplayPolicyProvider;
import dev.rlm.runner.replay.ReplayedRun;
import dev.rlm.sinks.SinkConfig;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.IntConsumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Runs of a journal that are to be replayed.
 *
 * @param options by which they were chosen
 * @param runs in the order of their starts
 */
record ReplaySource(Path journal, ReplayOptions options, List<ReplayedRun> runs) {
    private static final String RUNS = "replay";
    private static final String SET = "set";
    private static final String ENVIRONMENT = "environment";

    /** Options that the record of a run tells by its parameters. */
    private static final Map<String, String> BY_PARAMS =
            Map.of("shaping", "shaping", "reward", "reward", "step-reward", "step_reward");

    /** Options of the job that a run was part of which count for its replay too, where the journal keeps that job. */
    private static final Set<String> OF_JOBS = Set.of(
            SET,
            "pass-reward",
            "pass-on",
            "skip-bad-lines",
            "python",
            "exec-timeout",
            "exec-memory",
            "exec-processes",
            "exec-files",
            "max-output",
            "unsafe-exec");

    /**
     * Reads them.
     *
     * @param progress is given how many have been read
     */
    static ReplaySource read(ReplayOptions options, SinkConfig config, IntConsumer progress) {
        Path given = options.journal();
        Path folder = (given == null ? Journal.configured(config) : given)
                .toAbsolutePath()
                .normalize();
        Journal journal = Journal.openToRead(folder, IndexCache.configured(config));
        Map<String, ReplayedRun> read = new HashMap<>();
        List<RunSummary> chosen = chosen(journal, options);
        journal.read(chosen, (run, events) -> ReplayedRun.of(run.row().run(), events), run -> {
            read.put(run.id(), run);
            progress.accept(read.size());
        });
        List<ReplayedRun> runs = new ArrayList<>();
        chosen.forEach(run -> Optional.ofNullable(read.get(run.runId())).ifPresent(runs::add));
        return new ReplaySource(folder, options, runs);
    }

    private static List<RunSummary> chosen(Journal journal, ReplayOptions options) {
        List<String> named = options.named();
        if (!named.isEmpty()) {
            if (!options.where().isEmpty()) {
                throw new UsageException("--replay names runs, and --replay-where chooses among all: give one of them");
            }
            Set<RunSummary> runs = new LinkedHashSet<>();
            named.forEach(id -> runs.add(journal.run(id)));
            return List.copyOf(runs);
        }
        RunFilter filter = RunFilter.of(options.where(), "--replay-where");
        List<RunSummary> runs = journal.runs().stream()
                .filter(run -> !run.row().run().tags().containsKey(ReplayPolicyProvider.TAG))
                .filter(filter::accepts)
                .toList();
        if (runs.isEmpty()) {
            throw new UsageException("nothing to replay: no run in " + journal.directory() + " fits"
                    + " (replays themselves are replayed only where they are named)");
        }
        return runs;
    }

    /**
     * Returns what the record says of the options, with these before it.
     *
     * @throws UsageException if runs differ in an option that is not given
     */
    JobFile with(JobFile given) {
        Map<String, Map<Object, Integer>> values = new TreeMap<>();
        Map<String, Optional<JobFile>> jobs = new HashMap<>();
        Set<String> names = new TreeSet<>();
        List<Map<String, Object>> all =
                runs.stream().map(run -> recorded(run, jobs)).toList();
        all.forEach(settings -> names.addAll(settings.keySet()));
        names.removeAll(given.settings().keySet());
        for (Map<String, Object> settings : all) {
            names.forEach(name -> values.computeIfAbsent(name, unknown -> new LinkedHashMap<>())
                    .merge(settings.getOrDefault(name, "none"), 1, Integer::sum));
        }
        String differences = values.entrySet().stream()
                .filter(each -> each.getValue().size() > 1)
                .map(each -> each.getKey() + " "
                        + each.getValue().entrySet().stream()
                                .map(value -> value.getKey() + " (" + value.getValue() + ")")
                                .collect(Collectors.joining(", ")))
                .collect(Collectors.joining("; "));
        if (!differences.isEmpty()) {
            throw new UsageException("the " + runs.size() + " runs were recorded with different options: " + differences
                    + "; give these options, or choose runs that have the same (--replay, --replay-where)");
        }
        Map<String, Object> settings = new LinkedHashMap<>(all.get(0));
        settings.putAll(given.settings());
        if (!options.named().isEmpty()) {
            settings.put(RUNS, runs.stream().map(ReplayedRun::id).toList()); // "last" is another one soon
        }
        return new JobFile("the record of run " + runs.get(0).id(), settings);
    }

    private Map<String, Object> recorded(ReplayedRun run, Map<String, Optional<JobFile>> jobs) {
        Map<String, Object> settings = new LinkedHashMap<>();
        String environment = run.info().environment();
        String invocation = run.info().correlation().invocation();
        if (invocation != null) {
            jobs.computeIfAbsent(invocation, id -> JobFile.latest(journal, id))
                    .ifPresent(job -> job.settings().forEach((name, value) -> {
                        if (OF_JOBS.contains(name) || (name.startsWith("mcp") && !options.isOfRecordedTools())) {
                            settings.put(name, value);
                        }
                    }));
        }
        settings.put(ENVIRONMENT, environment);
        BY_PARAMS.forEach((option, param) -> {
            String value = run.param(param);
            if (value != null) {
                settings.put(option, value);
            }
        });
        own(settings, environment);
        return settings;
    }

    /** Leaves the settings of what is chosen again. */
    private static void own(Map<String, Object> settings, String environment) {
        String rewards = settings.getOrDefault("reward", "") + "," + settings.getOrDefault("step-reward", "");
        settings.computeIfPresent(
                SET,
                (name, value) -> texts(value).stream()
                        .filter(text -> text.startsWith(environment + ".")
                                || List.of(rewards.split("[=,]")).contains(text.split("\\.", 2)[0]))
                        .toList());
        if (List.of().equals(settings.get(SET))) {
            settings.remove(SET);
        }
    }

    private static List<String> texts(@Nullable Object value) {
        if (value instanceof Map<?, ?> map) {
            return map.entrySet().stream()
                    .map(entry -> entry.getKey() + "=" + entry.getValue())
                    .toList();
        }
        return value instanceof List<?> list
                ? list.stream().map(String::valueOf).toList()
                : List.of(String.valueOf(value));
    }
}
