package dev.rlm.runner.job;

import dev.rlm.cli.Console;
import dev.rlm.cli.Interruption;
import dev.rlm.cli.UsageException;
import dev.rlm.engine.EngineContext;
import dev.rlm.engine.EngineProvider;
import dev.rlm.engine.EpisodeEngine;
import dev.rlm.engine.JobDescription;
import dev.rlm.engine.JobLimits;
import dev.rlm.runner.episode.EmbeddedEngine;
import dev.rlm.runner.episode.JobSpan;
import dev.rlm.runner.episode.Rollout;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.Sinks;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.ServiceLoader;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options that say where episodes run. */
final class EngineOptions {
    private static final String EMBEDDED = "embedded";
    private static final Duration END_TIME = Duration.ofSeconds(10);

    @Option(
            names = "--engine",
            paramLabel = "NAME",
            description = "What runs the episodes: embedded (default, this process) or spark.")
    private String engine = EMBEDDED;

    @Option(
            names = "--master",
            paramLabel = "URL",
            description = "With --engine: the cluster, such as spark://host:7077 or local-cluster[2,64,1024].")
    private @Nullable String master;

    @Option(
            names = "--conf",
            paramLabel = "KEY=VALUE",
            description = "With --engine: a setting of the engine's own. May be repeated.")
    private Map<String, String> settings = new LinkedHashMap<>();

    /** Returns whether episodes run elsewhere. */
    boolean isElsewhere() {
        return !engine.equals(EMBEDDED);
    }

    /** Checks all that can be checked before the plan is made. */
    void check(EpisodeOptions episodes) {
        if (!isElsewhere() && (master != null || !settings.isEmpty())) {
            throw new UsageException(
                    (master != null ? "--master" : "--conf") + " is for another --engine than embedded");
        } else if (isElsewhere() && episodes.isReplay()) {
            throw new UsageException("--policy replay runs in this process: leave out --engine");
        } else if (isElsewhere()) {
            provider();
        }
    }

    private EngineProvider provider() {
        Map<String, EngineProvider> found = new LinkedHashMap<>();
        ServiceLoader.load(EngineProvider.class).forEach(provider -> found.put(provider.name(), provider));
        if (engine.equals("spark") && !found.containsKey(engine)) {
            throw new UsageException("--engine spark is not on the class path: start it by ./rlm, which fetches Spark,"
                    + " or add engine-spark and the jars of a Spark 4.2");
        }
        TreeSet<String> names = new TreeSet<>(found.keySet());
        names.add(EMBEDDED);
        UsageException.checkKnown("engine", engine, names);
        return Objects.requireNonNull(found.get(engine));
    }

    /** Returns the limits of a job, of which an engine elsewhere decides how many runs there are at a time. */
    JobLimits limits(JobLimits own) {
        return isElsewhere()
                ? new JobLimits(0, own.timeout(), own.stepTimeout(), own.retries(), own.maxFailures())
                : own;
    }

    /** Has the process's end stop something: with more time where attempts elsewhere have to hear of it. */
    Interruption interruption(Console console, Runnable stop) {
        return isElsewhere()
                ? new Interruption(console, stop, END_TIME.plus(Interruption.CLOSE_TIME))
                : new Interruption(console, stop);
    }

    /**
     * Opens the engine.
     *
     * @param file the job's options
     * @param variables that the plan and its policies read
     */
    EpisodeEngine<? super Rollout> open(
            String invocation,
            JobPlan plan,
            JobFile file,
            Supplier<Map<String, String>> variables,
            JobSpan span,
            JobLimits limits,
            Sinks sinks,
            SinkConfig config) {
        if (!isElsewhere()) {
            return new EmbeddedEngine(sinks, span, limits);
        }
        JobDescription job = JobDescription.of(
                invocation, file.settings(), variables.get(), plan.digest(), plan.parent(), span.traceparent(), limits);
        try {
            return provider().open(new EngineContext(master == null ? "" : master, settings, job, sinks, config));
        } catch (IllegalArgumentException e) {
            throw new UsageException("--engine " + engine + ": " + e.getMessage(), e);
        }
    }
}
