package dev.rlm.runner.job;

import dev.rlm.cli.Interruption;
import dev.rlm.cli.SinkOptions;
import dev.rlm.cli.StartRecovery;
import dev.rlm.cli.UsageException;
import dev.rlm.cli.Verb;
import dev.rlm.cli.terminal.Progress;
import dev.rlm.episodes.SetupException;
import dev.rlm.runner.episode.EpisodeResult;
import dev.rlm.runner.episode.Job;
import dev.rlm.runner.episode.JobLimits;
import dev.rlm.runner.openai.OpenAiOptions;
import dev.rlm.runner.openai.OpenAiPolicyProvider;
import dev.rlm.runner.plugin.PluginCalls;
import dev.rlm.runner.python.ExecutionOptions;
import dev.rlm.runner.python.PythonEnvironmentProvider;
import dev.rlm.runner.reward.RewardOptions;
import dev.rlm.sinks.SinkProvider.Variable;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.event.TraceContext;
import dev.rlm.sinks.jsonl.Journal;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.lang.reflect.Field;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** The verb {@code run}: runs episodes, records them, and says what they came to. */
@Command(
        name = "run",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Runs episodes, records them, and says what they came to.",
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {
            "0:Done, whatever the runs came to.",
            "1:Could not finish, --max-failures has struck, or every run failed.",
            "2:The command, a setting or the model's server is wrong; nothing was started.",
            "130:Interrupted."
        })
public final class RunCommand extends Verb {
    /** Classes of the options that say what a job is; the others say how it is done. */
    private static final Set<Class<?>> OF_THE_PLAN = Set.of(
            EpisodeOptions.class,
            RewardOptions.class,
            ExecutionOptions.class,
            OpenAiOptions.class,
            TrainingOptions.class,
            McpOptions.class);

    private static final Duration LOG_INTERVAL = Duration.ofSeconds(30);

    @Parameters(
            arity = "0..1",
            paramLabel = "JOB",
            description = "A file with options, as --print-job prints it; options given here count before it.")
    private @Nullable Path file;

    @Option(names = "--print-job", description = "Print the options as a file of that kind, and run nothing.")
    private boolean printJob;

    @Mixin
    private EpisodeOptions episodes = new EpisodeOptions();

    @Mixin
    private JobOptions options = new JobOptions();

    @Mixin
    private SinkOptions sinkOptions = new SinkOptions();

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    private final SinkWarnings warnings = new SinkWarnings(this::console);
    private @Nullable JobFile job; // once it is known
    private List<String> words = List.of(); // as they were given

    @Override
    public boolean isQuiet() {
        return options.quiet;
    }

    @Override
    public List<Variable> variables() {
        return List.of(
                new Variable(
                        PluginCalls.VARIABLE, "60s", "how long a plug-in is waited for until it is found and open"),
                new Variable("RLM_OPENAI_API_KEY", "that of OPENAI_API_KEY", "the key that --policy openai sends"),
                new Variable("OPENAI_BASE_URL", "", "where --policy openai asks, unless --base-url says it"),
                new Variable("RLM_MCP_TOKEN", "", "the token for MCP servers with a URL"),
                new Variable("RLM_MCP_TOKEN_<NAME>", "", "that for the server of that name"));
    }

    @Override
    public Set<String> namedVariables() {
        return job().settings().get("api-key-env") instanceof String key ? Set.of(key) : Set.of();
    }

    @Override
    protected int execute() {
        if (printJob) {
            out().print(job().toKeep().text());
            out().flush();
            return CommandLine.ExitCode.OK;
        }
        try {
            return whole().plan(given().originalArgs());
        } catch (SetupException e) {
            throw new UsageException(String.valueOf(e.getMessage()), e);
        }
    }

    /** Returns the options of the command line and, below them, those of a file. */
    private JobFile job() {
        JobFile known = job;
        if (known == null) {
            JobFile here = JobFile.of(given());
            if (file != null) {
                known = JobFile.read(file).checked(given().commandSpec()).with(here);
            } else if (options.resume != null && isResumedAlone()) {
                known = JobFile.latest(journal(), options.resume)
                        .map(kept -> kept.with(here))
                        .orElse(here);
            } else {
                known = here;
            }
            job = known;
        }
        return known;
    }

    /** Returns whether nothing is given of what a job is. */
    private boolean isResumedAlone() {
        return given().matchedOptionsSet().stream()
                .map(option -> ((Field) option.userObject()).getDeclaringClass())
                .noneMatch(OF_THE_PLAN::contains);
    }

    /** Returns the command that has the options of a file too. */
    private RunCommand whole() {
        if (job().isOfCommandLine()) {
            return this;
        }
        RunCommand whole = new RunCommand();
        whole.start(console(), config());
        try {
            new CommandLine(whole)
                    .setCaseInsensitiveEnumValuesAllowed(true)
                    .parseArgs(job().arguments(given().commandSpec()).toArray(String[]::new));
        } catch (ParameterException e) {
            throw new UsageException(job().source() + ": " + e.getMessage(), e);
        }
        return whole;
    }

    private Path journal() {
        return Journal.configured(sinkOptions.configured(config()))
                .toAbsolutePath()
                .normalize();
    }

    private int plan(List<String> arguments) {
        words = arguments;
        JobLimits limits = options.limits();
        checkOwners();
        try (Catalog catalog = new Catalog(episodes, config())) {
            String rollout =
                    config().shared().string(TrainingOptions.ROLLOUT_VARIABLE).orElse(null);
            JobPlan plan = new JobPlan(episodes, catalog, parent(), rollout);
            try (Sinks sinks = sinkOptions.open(config())) {
                catalog.policy().secrets().forEach(sinks::registerSecret);
                if (!options.quiet) {
                    episodes.execution.warning().ifPresent(console()::warn);
                }
                return start(plan, limits, sinks);
            }
        }
    }

    private int start(JobPlan plan, JobLimits limits, Sinks sinks) {
        try (Interruption interruption = new Interruption(Thread.currentThread()::interrupt)) {
            if (options.resume == null) {
                return run(plan, limits, sinks, null, interruption);
            }
            try (Resumption earlier = find(resumed(options.resume), plan, limits, sinks, interruption)) {
                return run(plan, limits, sinks, earlier, interruption);
            }
        }
    }

    /** The id of the job to go on with, or its beginning; empty for the latest. */
    private String resumed(String id) {
        String invocation = episodes.training.invocation();
        if (invocation != null && !invocation.startsWith(id)) {
            throw new UsageException(
                    "--invocation " + invocation + " and --resume " + id + " name two jobs: give one of them");
        }
        return invocation == null ? id : invocation;
    }

    /** An option that belongs to a policy or an environment that was not chosen would do nothing. */
    private void checkOwners() {
        for (OptionSpec option : given().matchedOptions()) {
            Class<?> owner = ((Field) option.userObject()).getDeclaringClass();
            if (owner == OpenAiOptions.class && !episodes.policy.equals(OpenAiPolicyProvider.NAME)) {
                throw new UsageException(option.longestName() + " is for --policy " + OpenAiPolicyProvider.NAME);
            } else if (owner == ExecutionOptions.class
                    && !episodes.environment.equals(PythonEnvironmentProvider.NAME)) {
                throw new UsageException(option.longestName() + " is for --env " + PythonEnvironmentProvider.NAME);
            }
        }
    }

    /** The job to go on with; none where the process was told to end meanwhile, for then not all of the journal was read. */
    private @Nullable Resumption find(
            String id, JobPlan plan, JobLimits limits, Sinks sinks, Interruption interruption) {
        try {
            return Resumption.of(id, plan.wanted(limits.retries()), sinkOptions.configured(config()), sinks);
        } catch (SetupException e) {
            if (interruption.wasTold()) {
                return null;
            }
            throw e;
        }
    }

    /** What has handed the program its work, as OpenTelemetry's convention for environments says. */
    private TraceContext parent() {
        Map<String, String> carrier = new HashMap<>();
        for (String variable : List.of("TRACEPARENT", "TRACESTATE", "BAGGAGE")) {
            config().shared().string(variable).ifPresent(value -> carrier.put(variable, value));
        }
        TraceContext parent = TraceContext.from(carrier);
        if (parent.traceparent() != null) {
            Logger log = LoggerFactory.getLogger(RunCommand.class); // not before the command is parsed: see Logging
            log.info("TRACEPARENT is set: the runs join the trace of {}", parent.traceparent());
        }
        return parent;
    }

    private int run(
            JobPlan plan, JobLimits limits, Sinks sinks, @Nullable Resumption earlier, Interruption interruption) {
        if (!options.quiet) {
            warnings.badLines(plan.badLines());
            if (plan.leavesRolloutOut()) {
                console()
                        .warn(TrainingOptions.ROLLOUT_VARIABLE + " is left out: it names one rollout, and this job has "
                                + plan.roles().size());
            }
        }
        warnings.unavailable(sinks.statuses());
        String given = episodes.training.invocation();
        String invocation = earlier != null
                ? earlier.invocation()
                : given != null ? given : UUID.randomUUID().toString();
        Job job = new Job(plan.rollouts(invocation, earlier == null ? Map.of() : earlier.standings()), sinks, limits);
        if (!interruption.nowStops(job::stop)) {
            return endBeforeTheJob();
        }
        Integer resumed = earlier == null ? null : job.ended();
        if (resumed != null && !isSilent()) {
            err().println("resumed: " + resumed + " of " + job.size() + " had been done");
            sayWhereNothingIsLeft(job, limits);
            err().flush();
        }
        try (StartRecovery recovery =
                StartRecovery.of(sinkOptions.configured(config()), sinkOptions.names(), sinks, information())) {
            if (recovery.isOfJournal() && earlier == null) {
                keepOptions(invocation, sinks);
            }
            Summary summary = run(plan, job, sinks, recovery, invocation, resumed, interruption);
            new JobEnd(console(), sinkOptions, warnings, sinks).tell(summary, json, options.quiet);
            tellOfStop(job, summary, sinks, recovery.isOfJournal() && !options.quiet);
            return exitCode(job, summary);
        }
    }

    /** Keeps in the journal what the job is, so that it can be gone on with, and done again, without a word of it. */
    private void keepOptions(String invocation, Sinks sinks) {
        try {
            job().toKeep()
                    .keep(journal(), invocation, text -> sinks.content(text).text());
        } catch (IOException e) {
            console().warn("the job's options are not kept in the journal: " + e);
        }
    }

    private int exitCode(Job job, Summary summary) {
        if (job.wasInterrupted()) {
            return Interruption.EXIT_CODE;
        } else if (!job.fatal().isEmpty()) {
            return CommandLine.ExitCode.SOFTWARE;
        } else if (summary.hasFailed()) {
            console()
                    .error("every run failed: "
                            + String.join(", ", summary.failures().lines(1)));
            return CommandLine.ExitCode.SOFTWARE;
        }
        return CommandLine.ExitCode.OK;
    }

    private void sayWhereNothingIsLeft(Job job, JobLimits limits) {
        if (job.ended() == job.size()) {
            boolean failed = job.counts().failed() > 0;
            err().println("nothing is left to do"
                    + (failed ? "; --retries " + (limits.retries() + 1) + " would try failed runs again" : ""));
        }
    }

    /** Returns the stream for what is good to know, and no failure. */
    private PrintWriter information() {
        return options.quiet ? new PrintWriter(Writer.nullWriter()) : err();
    }

    private int endBeforeTheJob() {
        Thread.interrupted(); // it has been heeded: the sinks are to close as ever
        String work = options.resume == null ? "" : " while the journal was read";
        err().println("interrupted" + work + ": no run was started");
        err().flush();
        return Interruption.EXIT_CODE;
    }

    private boolean isSilent() {
        return options.quiet || json;
    }

    private Summary run(
            JobPlan plan,
            Job job,
            Sinks sinks,
            StartRecovery recovery,
            String invocation,
            @Nullable Integer resumed,
            Interruption interruption) {
        List<EpisodeResult> results;
        try (Progress ignored = new Progress(
                err(),
                console().terminal() && !options.quiet,
                new JobProgress(job::counts, System::nanoTime),
                isSilent() ? Duration.ZERO : LOG_INTERVAL)) {
            results = job.run();
        }
        String first = job.firstRun();
        Collection<URI> locations =
                first == null ? List.of() : sinks.locations(first).values();
        Arrival arrival = new Arrival(sinks);
        boolean interrupted = job.wasInterrupted() || isInterruptedBefore(arrival, interruption);
        Duration closeTime = interrupted ? Interruption.CLOSE_TIME : arrival.closeTime();
        long by = System.nanoTime() + closeTime.toNanos();
        sinks.close(closeTime);
        recovery.close(Duration.ofNanos(Math.max(0, by - System.nanoTime())));
        return new Summary(
                Figures.of(results),
                Summary.models(results),
                Summary.failures(results, text -> sinks.content(text).text()),
                RunGroups.of(plan.roles(), job.standings()),
                Summary.Extent.of(invocation, job, resumed),
                plan.badLines().size(),
                first,
                locations,
                sinks.statuses(),
                sinks.redactions());
    }

    /** Waits for what is on its way; whether the process was told to end before it was there. */
    private boolean isInterruptedBefore(Arrival arrival, Interruption interruption) {
        Thread waiting = Thread.currentThread();
        if (interruption.nowStops(waiting::interrupt)) {
            try (Progress ignored = new Progress(
                    err(),
                    console().terminal() && !options.quiet,
                    arrival,
                    isSilent() ? Duration.ZERO : LOG_INTERVAL)) {
                arrival.await(options.drainTimeout);
            }
        }
        return Thread.interrupted() || interruption.wasTold();
    }

    private void tellOfStop(Job job, Summary summary, Sinks sinks, boolean resumable) {
        if (job.wasStopped()) {
            StopText text = new StopText(
                    console(), job, summary, said -> sinks.content(said).text());
            text.print();
            if (resumable) {
                text.printHowToGoOn(words);
            }
        }
    }
}
