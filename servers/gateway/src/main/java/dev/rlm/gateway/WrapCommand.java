package dev.rlm.gateway;

import dev.rlm.cli.Bounds;
import dev.rlm.cli.Durations;
import dev.rlm.cli.Interruption;
import dev.rlm.cli.Shell;
import dev.rlm.cli.SinkOptions;
import dev.rlm.cli.UsageException;
import dev.rlm.cli.Verb;
import dev.rlm.cli.process.Subprocess;
import dev.rlm.cli.terminal.Counted;
import dev.rlm.json.Json;
import dev.rlm.server.http.Access;
import dev.rlm.server.http.Endpoint;
import dev.rlm.server.rollout.Conversations;
import dev.rlm.server.rollout.LiveRollout;
import dev.rlm.server.rollout.RolloutIds;
import dev.rlm.server.rollout.Rollouts;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Span;
import dev.rlm.sinks.event.RunStatus;
import dev.rlm.sinks.event.TraceContext;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import okhttp3.HttpUrl;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command that records any other command by the base URLs of its models. */
@Command(
        name = "wrap",
        description = "Runs a command and records the calls of models that it makes. Its exit code is the command's.",
        customSynopsis = "rlm wrap [OPTIONS] -- COMMAND [ARGUMENT …]",
        sortOptions = false,
        mixinStandardHelpOptions = true)
public final class WrapCommand extends Verb {
    private static final Duration NEVER = Duration.ofDays(36_500);
    private static final Duration STOP_TIME = Duration.ofSeconds(10);
    private static final int TIMED_OUT = 124; // as env's and timeout's

    @Option(
            names = "--runs-by",
            paramLabel = "WHICH",
            description = "Unit of a run: command (default), conversation (each one) or header (what requests say).")
    private RunsBy runsBy = RunsBy.COMMAND;

    @Option(names = "--task", paramLabel = "TEXT", description = "What the run is to do (the command line).")
    private @Nullable String task;

    @Option(
            names = "--model",
            paramLabel = "NAME",
            description = "The model, as the run's name of it (the one that most calls ask).")
    private String model = "";

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            converter = Durations.class,
            description = "End the command, and all that it has started, after that time; exit code 124.")
    private Duration timeout = NEVER;

    @ArgGroup
    private @Nullable CommandReward reward;

    @Mixin
    private final ForwardingOptions forwarding = new ForwardingOptions();

    @Mixin
    private final SinkOptions sinkOptions = new SinkOptions();

    @Parameters(arity = "1..*", paramLabel = "COMMAND", description = "What to run, behind a --.")
    private List<String> command = List.of();

    /** Kinds of what is one run. */
    enum RunsBy {
        COMMAND,
        CONVERSATION,
        HEADER
    }

    @Override
    public Set<String> namedVariables() {
        return forwarding.namedVariables();
    }

    @Override
    protected int execute() {
        Bounds.checkAboveZero("--timeout", timeout);
        if (reward != null && runsBy != RunsBy.COMMAND) {
            throw new UsageException("a reward is one run's: it needs --runs-by command");
        }
        Map<String, HttpUrl> upstreams = forwarding.nameUpstreams() ? Map.of() : upstreams();
        Forwarder.Settings settings = forwarding.settings(config(), List.copyOf(upstreams.values()));
        String rollout = RunSpec.builder("any").build().runId();
        Forwarder.Naming naming = runsBy == RunsBy.CONVERSATION ? byConversation(rollout) : Forwarder.Naming.GIVEN;
        Thread worker = Thread.currentThread();
        try (Interruption ignored = new Interruption(console(), worker::interrupt, STOP_TIME);
                Gateway gateway =
                        new Gateway(console(), config(), sinkOptions, forwarding, settings, naming, command, NEVER)) {
            int port = gateway.listen(Endpoint.local(0, null), new Access(null, Map.of(), true));
            String base = "http://127.0.0.1:" + port + (runsBy == RunsBy.COMMAND ? "/rollout_id/" + rollout : "");
            Map<String, String> variables = baseUrls(base, upstreams);
            int code = runsBy == RunsBy.COMMAND
                    ? one(gateway.rollouts(), rollout, variables)
                    : many(gateway.rollouts(), variables);
            boolean stopped = Thread.interrupted(); // which is not to cut the close short
            gateway.close();
            say(gateway);
            return stopped ? Interruption.EXIT_CODE : code;
        }
    }

    private void say(Gateway gateway) {
        if (gateway.calls() == 0) {
            gateway.say(
                    "warning: no call of a model came: the command may not read OPENAI_BASE_URL or ANTHROPIC_BASE_URL");
        } else if (!isQuiet()) {
            gateway.say("recorded " + Counted.of(gateway.calls(), "call") + "; to look at them: "
                    + console().program() + " list" + sinkOptions.toRepeat());
        }
    }

    // ---- where calls go

    /** The APIs' base URLs as this process's variables say them, else the providers' own. */
    private Map<String, HttpUrl> upstreams() {
        Map<String, HttpUrl> urls = new LinkedHashMap<>();
        urls.put("OPENAI", upstream("https://api.openai.com/v1", "", "OPENAI_BASE_URL", "OPENAI_API_BASE"));
        urls.put(
                "ANTHROPIC",
                upstream("https://api.anthropic.com/v1", "/v1", "ANTHROPIC_BASE_URL", "ANTHROPIC_API_BASE"));
        return urls;
    }

    private HttpUrl upstream(String standard, String path, String... names) {
        for (String name : names) {
            String given = config().shared().string(name).orElse(null);
            if (given != null) {
                String base = given.replaceFirst("/+$", "");
                return ForwardingOptions.url(name + "=", base.endsWith(path) ? base : base + path);
            }
        }
        return ForwardingOptions.url("", standard);
    }

    /** Returns the variables that the SDKs of OpenAI and Anthropic, and LiteLLM, read. */
    private Map<String, String> baseUrls(String base, Map<String, HttpUrl> upstreams) {
        Map<String, String> variables = new HashMap<>();
        String openai = base + encoded(upstreams.get("OPENAI"));
        String anthropic = base + encoded(upstreams.get("ANTHROPIC"));
        variables.put("OPENAI_BASE_URL", openai + "/v1");
        variables.put("OPENAI_API_BASE", openai + "/v1");
        variables.put("ANTHROPIC_BASE_URL", anthropic);
        variables.put("ANTHROPIC_API_BASE", anthropic);
        for (String name : List.of("NO_PROXY", "no_proxy")) { // the gateway is here, and no proxy's to find
            String others =
                    config().shared().string(name).map(hosts -> hosts + ",").orElse("");
            variables.put(name, others + "127.0.0.1,localhost");
        }
        return variables;
    }

    private static String encoded(@Nullable HttpUrl url) {
        return url == null
                ? ""
                : "/encoded_base_url/"
                        + Base64.getUrlEncoder()
                                .withoutPadding()
                                .encodeToString(url.toString().getBytes(StandardCharsets.UTF_8));
    }

    // ---- runs

    /** Returns the rule by which each conversation of a command is a rollout, which is called after it, with a number. */
    private static Forwarder.Naming byConversation(String command) {
        Conversations conversations = new Conversations();
        return (given, chat) -> {
            String id = command + "-" + conversations.add(Json.elements(chat.path("messages")));
            return new RolloutIds(given.job(), Map.of(RolloutIds.ROLLOUT, id)).or(given.values());
        };
    }

    /** Runs the command as a run; the exit code. */
    private int one(Rollouts rollouts, String id, Map<String, String> variables) {
        RolloutIds ids = RolloutIds.of(Map.of(RolloutIds.ROLLOUT, id));
        LiveRollout rollout = rollouts.open(ids, model, task == null ? Shell.line(command) : task, parent());
        rollout.run().traceContext().ifPresent(context -> variables.putAll(context.toEnvironment()));
        variables.put("EP_ROLLOUT_ID", id);
        LiveRollout.Ending ending;
        int code = TIMED_OUT;
        try (Span span = rollout.run().span("command")) {
            if (reward != null) {
                reward.prepare();
            }
            code = run(variables, span);
            if (reward != null) {
                reward.give(rollout.run(), code, variables);
            }
            boolean well = code == 0 || (reward != null && reward.judgesExitCode());
            ending = well
                    ? new LiveRollout.Ending(RunStatus.FINISHED, "", null, "exit")
                    : new LiveRollout.Ending(RunStatus.UNKNOWN, "the command ended with exit code " + code, null, null);
        } catch (TimeoutException e) {
            ending = new LiveRollout.Ending(
                    RunStatus.DEADLINE_EXCEEDED, "the command ran longer than " + Durations.text(timeout), null, null);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            ending = new LiveRollout.Ending(RunStatus.CANCELLED, "the command was stopped", null, null);
        } catch (IOException e) {
            ending = new LiveRollout.Ending(RunStatus.INVALID_ARGUMENT, unstarted(e), null, null);
            code = Subprocess.exitCode(e);
        }
        rollouts.end(ids, ending);
        return code;
    }

    /** Runs the command, whose calls say what is a run; the exit code. */
    private int many(Rollouts rollouts, Map<String, String> variables) {
        variables.putAll(TraceContext.from(parent()).toEnvironment());
        try {
            int code = run(variables, null);
            rollouts.conclude("exit", "the command ended with exit code " + code);
            return code;
        } catch (TimeoutException e) {
            rollouts.conclude("exit", "the command ran longer than " + Durations.text(timeout));
            return TIMED_OUT;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            rollouts.conclude("exit", "the command was stopped");
            return Interruption.EXIT_CODE;
        } catch (IOException e) {
            unstarted(e);
            return Subprocess.exitCode(e);
        }
    }

    private int run(Map<String, String> variables, @Nullable Span span)
            throws IOException, InterruptedException, TimeoutException {
        Subprocess.Output output = isTerminal() ? Subprocess.Output.INHERITED : Subprocess.Output.PASSED_ON;
        Subprocess started = Subprocess.start(command, variables, output);
        try {
            int code = started.await(timeout);
            if (span != null) {
                span.attribute("process.exit.code", code);
            }
            return code;
        } catch (InterruptedException | TimeoutException e) {
            started.end();
            throw e;
        } finally {
            if (span != null) {
                span.attribute("rlm.command.stdout", started.output());
                span.attribute("rlm.command.stderr", started.errors());
            }
        }
    }

    @SuppressWarnings("SystemConsoleNull") // from Java 22 on it is always there: then stderr alone tells
    private boolean isTerminal() {
        return console().terminal() && System.console() != null;
    }

    /** Returns the variables that tell this process of the trace that it belongs to. */
    private Map<String, String> parent() {
        Map<String, String> told = new HashMap<>();
        for (String name : List.of("TRACEPARENT", "TRACESTATE", "BAGGAGE")) {
            config().shared().string(name).ifPresent(value -> told.put(name, value));
        }
        return told;
    }

    private String unstarted(IOException e) {
        String message = Subprocess.message(command, e);
        console().error(message);
        return message;
    }
}
