package dev.rlm.runner.job;

import dev.rlm.cli.SinkOptions;
import dev.rlm.cli.UsageException;
import dev.rlm.cli.Verb;
import dev.rlm.cli.terminal.Progress;
import dev.rlm.episodes.SetupException;
import dev.rlm.journal.Journal;
import dev.rlm.runner.exec.ExecPolicyProvider;
import dev.rlm.runner.openai.OpenAiOptions;
import dev.rlm.runner.openai.OpenAiPolicyProvider;
import dev.rlm.runner.plugin.PluginCalls;
import dev.rlm.runner.python.PythonEnvironmentProvider;
import dev.rlm.runner.remote.RemoteOptions;
import dev.rlm.runner.remote.RemotePolicyProvider;
import dev.rlm.runner.replay.ReplayOptions;
import dev.rlm.runner.replay.ReplayPolicyProvider;
import dev.rlm.runner.replay.ReplayedRun;
import dev.rlm.runner.reward.RewardOptions;
import dev.rlm.runner.sandbox.ExecutionOptions;
import dev.rlm.runner.taskfolder.TaskFolderProvider;
import dev.rlm.sinks.HubProvider;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkProvider.Variable;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.event.TraceContext;
import java.lang.reflect.Field;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
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
            "1:Could not finish, --max-failures has struck, every run failed, or a replay differs from its run.",
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
            RemoteOptions.class,
            ReplayOptions.class,
            TrainingOptions.class,
            McpOptions.class);

    /** Environments that run what agents write. */
    private static final List<String> EXECUTING = List.of(PythonEnvironmentProvider.NAME, TaskFolderProvider.NAME);

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
    private EngineOptions engine = new EngineOptions();

    @Mixin
    private SinkOptions sinkOptions = new SinkOptions();

    @Option(
            names = "--view",
            description = "Show the journal in a browser meanwhile, and on a terminal until Ctrl-C, as rlm view does.")
    private boolean view;

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    private @Nullable JobFile job; // once it is known
    private List<ReplayedRun> recorded = List.of(); // to be replayed

    @Override
    public List<Variable> variables() {
        return List.of(
                new Variable(
                        PluginCalls.VARIABLE,
                        "60s",
                        "how long a plug-in that brings an environment, a policy or a reward may take to be"
                                + " found and open"),
                new Variable(
                        "RLM_OPENAI_API_KEY",
                        "that of OPENAI_API_KEY",
                        "the key that --policy openai sends, never recorded"),
                new Variable("OPENAI_API_KEY", "", "the same, where the other is not set"),
                new Variable("OPENAI_BASE_URL", "", "where --policy openai asks, unless --base-url says it"),
                new Variable(
                        RemotePolicyProvider.KEY,
                        "",
                        "the key for the gateway of --remote, which the rollout server is told too; never recorded"),
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
            RunCommand whole = whole();
            return whole.view ? whole.planBesideConsole(given().originalArgs()) : whole.plan(given().originalArgs());
        } catch (SetupException e) {
            throw new UsageException(String.valueOf(e.getMessage()), e);
        }
    }

    private int planBesideConsole(List<String> arguments) {
        try (ConsoleBeside beside = new ConsoleBeside(console(), sinkOptions.configured(config()))) {
            int code = plan(arguments);
            beside.awaitReader();
            return code;
        }
    }

    /** Returns the options of the command line and, below them, those of a file. */
    private JobFile job() {
        JobFile known = job;
        if (known == null) {
            JobFile here = JobFile.of(given());
            if (file != null) {
                known = JobFile.read(file)
                        .checked(given().commandSpec())
                        .checkTrusted(file, here)
                        .with(here);
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

    /** Returns the command that has the options of a file too, and of a replay what the record says of them. */
    private RunCommand whole() {
        RunCommand known = whole(job());
        if (!known.episodes.isReplay() || !known.episodes.replay.isGiven()) {
            return known;
        }
        SinkConfig configured = known.sinkOptions.configured(config());
        AtomicInteger read = new AtomicInteger();
        ReplaySource source;
        try (Progress ignored = progress(() -> read.get() + " recorded runs have been read")) {
            source = ReplaySource.read(known.episodes.replay, configured, read::set);
        }
        RunCommand replay = whole(source.with(job()));
        replay.recorded = source.runs();
        return replay;
    }

    private RunCommand whole(JobFile options) {
        if (options.isOfCommandLine()) {
            return this;
        }
        RunCommand whole = new RunCommand();
        whole.start(console(), config(), journals());
        try {
            new CommandLine(whole)
                    .setCaseInsensitiveEnumValuesAllowed(true)
                    .parseArgs(options.arguments(given().commandSpec()).toArray(String[]::new));
        } catch (ParameterException e) {
            throw new UsageException(options.source() + ": " + e.getMessage(), e);
        }
        return whole;
    }

    /** Returns the options of episodes, as a command line of these options has them. */
    static EpisodeOptions episodes(JobFile options) {
        RunCommand run = new RunCommand();
        CommandLine line = new CommandLine(run).setCaseInsensitiveEnumValuesAllowed(true);
        line.parseArgs(options.arguments(line.getCommandSpec()).toArray(String[]::new));
        return run.episodes;
    }

    private Path journal() {
        return Journal.configured(sinkOptions.configured(config()))
                .toAbsolutePath()
                .normalize();
    }

    private int plan(List<String> arguments) {
        options.limits(); // checks them, before anything is looked for
        engine.check(episodes);
        checkOwners();
        try (Catalog catalog = new Catalog(episodes, recorded, config())) {
            String rollout =
                    config().shared().string(TrainingOptions.ROLLOUT_VARIABLE).orElse(null);
            JobPlan plan = new JobPlan(episodes, catalog, parent(), rollout);
            try (Sinks sinks = sinkOptions.open(config())) {
                catalog.policy().secrets().forEach(sinks::registerSecret);
                SinkConfig configured = sinkOptions.configured(config());
                JobMessages messages = new JobMessages(console(), sinkOptions, configured, sinks, isQuiet(), json);
                replayWarnings(catalog, messages);
                episodes.execution.warning().ifPresent(messages::hint);
                return new JobRun(
                                plan,
                                options,
                                engine,
                                this::travelling,
                                configured,
                                sinkOptions.names(),
                                sinks,
                                console(),
                                messages)
                        .run(episodes.training.invocation, JobFile.of(given()), arguments);
            }
        }
    }

    /** Returns the variables of hubs and of this verb as this process has them, for those of an engine. They may be secrets. */
    private Map<String, String> travelling() {
        List<Variable> hubs = ServiceLoader.load(HubProvider.class)
                .findFirst()
                .map(HubProvider::variables)
                .orElse(List.of());
        Set<String> names = new TreeSet<>(namedVariables());
        for (Variable variable :
                Stream.concat(hubs.stream(), variables().stream()).toList()) {
            String beginning = variable.name().replace("<NAME>", "");
            names.add(variable.name());
            if (!beginning.equals(variable.name())) {
                config().variables().stream()
                        .filter(name -> name.startsWith(beginning))
                        .forEach(names::add);
            }
        }
        Map<String, String> values = new HashMap<>();
        names.forEach(name -> config().shared().string(name).ifPresent(value -> values.put(name, value)));
        return values;
    }

    private static void replayWarnings(Catalog catalog, JobMessages messages) {
        ReplayPolicyProvider replay = catalog.replay();
        if (replay != null) {
            replay.redactBy(messages::redacted);
            messages.warn(replay.warnings());
        }
    }

    /** Options of models that a program is told of. */
    private static final Set<String> TOLD = Set.of("--base-url", "--model");

    /** An option that belongs to a policy or an environment that was not chosen would do nothing. */
    private void checkOwners() {
        if (engine.isElsewhere() && given().hasMatchedOption("--concurrency")) {
            throw new UsageException("--concurrency is for --engine embedded: elsewhere the cluster's slots say it");
        }
        for (OptionSpec option : given().matchedOptions()) {
            Class<?> owner = ((Field) option.userObject()).getDeclaringClass();
            boolean remote = episodes.policy().equals(RemotePolicyProvider.NAME);
            boolean told = episodes.policy().equals(ExecPolicyProvider.NAME) && TOLD.contains(option.longestName());
            if (owner == OpenAiOptions.class
                    && !told
                    && !remote
                    && !episodes.policy().equals(OpenAiPolicyProvider.NAME)) {
                throw new UsageException(option.longestName() + " is for --policy " + OpenAiPolicyProvider.NAME);
            } else if (owner == RemoteOptions.class && !remote) {
                throw new UsageException(option.longestName() + " is for --policy " + RemotePolicyProvider.NAME);
            } else if (owner == ReplayOptions.class && !episodes.isReplay()) {
                throw new UsageException(option.longestName() + " is for --policy " + ReplayPolicyProvider.NAME);
            } else if (owner == ExecutionOptions.class && !EXECUTING.contains(episodes.environment)) {
                throw new UsageException(option.longestName() + " is for --env " + String.join(" and ", EXECUTING));
            }
        }
    }

    /** Returns the trace that the program was handed by variables, as OpenTelemetry's convention for them says. */
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
}
