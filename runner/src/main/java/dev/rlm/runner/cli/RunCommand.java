package dev.rlm.runner.cli;

import dev.rlm.runner.episode.EpisodeResult;
import dev.rlm.runner.episode.Job;
import dev.rlm.runner.journal.SinkOptions;
import dev.rlm.runner.journal.StartRecovery;
import dev.rlm.runner.terminal.Durations;
import dev.rlm.runner.terminal.Interruption;
import dev.rlm.runner.terminal.Progress;
import dev.rlm.runner.terminal.Redactions;
import dev.rlm.sinks.Ledger;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkProvider;
import dev.rlm.sinks.SinkStatus;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.event.TraceContext;
import java.net.URI;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The verb {@code run}: runs episodes, records them, and says what they came to. */
@Command(
        name = "run",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Runs episodes, records them, and says what they came to.")
final class RunCommand implements Callable<Integer> {
    private static final int MAX_CONCURRENCY = 10_000;
    private static final Duration CLOSE_TIME = Duration.ofSeconds(5);

    private final Console console;
    private final SinkConfig config;
    private final Set<String> warned = new HashSet<>();

    @Mixin
    private EpisodeOptions episodes = new EpisodeOptions();

    @Mixin
    private McpOptions mcp = new McpOptions();

    @Option(names = "--concurrency", paramLabel = "N", description = "How many runs at a time (8).")
    private int concurrency = 8;

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            converter = Durations.class,
            description = "How long a run may take, such as 30s; no limit otherwise.")
    private @Nullable Duration timeout;

    @Option(
            names = "--step-timeout",
            paramLabel = "TIME",
            converter = Durations.class,
            description = "How long a step may take; then it fails, and its run with it. No limit otherwise.")
    private @Nullable Duration stepTimeout;

    @Mixin
    private SinkOptions sinkOptions = new SinkOptions();

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    RunCommand(Console console, SinkConfig config) {
        this.console = console;
        this.config = config;
    }

    @Override
    public Integer call() {
        UsageException.checkRange("--concurrency", concurrency, 1, MAX_CONCURRENCY);
        checkAboveZero("--timeout", timeout);
        checkAboveZero("--step-timeout", stepTimeout);
        try (Catalog catalog = new Catalog(episodes, config);
                ConnectedTools tools = mcp.connect(config)) {
            return run(
                    new JobPlan(episodes, catalog, tools.toolbox(), parent()),
                    catalog.policy().secrets());
        }
    }

    private int run(JobPlan plan, Collection<String> secrets) {
        try (Sinks sinks = sinkOptions.open(config)) {
            secrets.forEach(sinks::registerSecret);
            episodes.execution.warning(episodes.environment).ifPresent(console::warn);
            warnOfBadLines(plan.badLines());
            warnOfUnavailable(sinks.statuses());
            Job job = new Job(plan.episodes(), sinks, concurrency, timeout, stepTimeout);
            try (Interruption ignored = new Interruption(job::stop);
                    StartRecovery recovery = StartRecovery.of(
                            sinkOptions.configured(config), sinkOptions.names(), sinks, console.err())) {
                run(job, sinks, plan.badLines().size(), recovery);
            }
            return job.wasStopped() ? Interruption.EXIT_CODE : 0;
        }
    }

    private static void checkAboveZero(String option, @Nullable Duration time) {
        if (time != null && time.isZero()) {
            throw new UsageException(option + "=0 is not valid: expected a time above 0");
        }
    }

    /** What has handed the program its work, as OpenTelemetry's convention for environments says. */
    private TraceContext parent() {
        Map<String, String> carrier = new HashMap<>();
        for (String variable : List.of("TRACEPARENT", "TRACESTATE", "BAGGAGE")) {
            config.shared().string(variable).ifPresent(value -> carrier.put(variable, value));
        }
        TraceContext parent = TraceContext.from(carrier);
        if (parent.traceparent() != null) {
            Logger log = LoggerFactory.getLogger(RunCommand.class); // not before the command is parsed: see Logging
            log.info("TRACEPARENT is set: the runs join the trace of {}", parent.traceparent());
        }
        return parent;
    }

    private void run(Job job, Sinks sinks, int badLines, StartRecovery recovery) {
        List<EpisodeResult> results;
        try (Progress ignored = new Progress(
                console.err(), console.terminal(), () -> job.ended() + " of " + job.size() + " runs have ended")) {
            results = job.run();
        }
        Collection<URI> locations = results.isEmpty()
                ? List.of()
                : sinks.locations(results.get(0).runId()).values();
        Duration closeTime = job.wasStopped() ? Interruption.CLOSE_TIME : CLOSE_TIME;
        long by = System.nanoTime() + closeTime.toNanos();
        sinks.close(closeTime);
        recovery.close(Duration.ofNanos(Math.max(0, by - System.nanoTime())));
        report(
                Summary.of(results, job.leftBehind(), badLines, locations, sinks.statuses(), sinks.redactions()),
                job,
                sinks.providers());
    }

    private void report(Summary summary, Job job, List<SinkProvider> providers) {
        if (json) {
            SummaryJson.print(console.out(), summary);
        } else {
            new SummaryText(console.out(), summary).print(console.program(), sinkOptions.toRepeat());
        }
        warnOfUnavailable(summary.sinks());
        summary.sinks().forEach(this::warnOfLosses);
        Redactions.warning(summary.redactions()).ifPresent(console::warn);
        if (summary.journal().isPresent()) {
            summary.sinks().forEach(status -> sayHowToResend(status, providers));
        }
        if (job.wasStopped()) {
            sayInterrupted(summary.all(), job.size());
        }
    }

    private void warnOfBadLines(List<String> badLines) {
        if (!badLines.isEmpty()) {
            console.warn("passed over bad lines: " + badLines.size() + "; the first: " + badLines.get(0));
        }
    }

    private void warnOfUnavailable(List<SinkStatus> statuses) {
        for (SinkStatus status : statuses) {
            if (!status.available() && warned.add(status.name())) {
                console.warn("sink '" + status.name() + "' is not available: " + status.detail());
            }
        }
    }

    private void warnOfLosses(SinkStatus status) {
        Ledger ledger = status.ledger();
        if (ledger.lost() > 0) {
            console.warn("sink '" + status.name() + "' lost " + ledger.lost() + " of " + ledger.offered() + " events: "
                    + ledger.losses());
        }
        if (ledger.queued() > 0) {
            console.warn("sink '" + status.name() + "' was given up with " + ledger.queued() + " of " + ledger.offered()
                    + " events not known to have arrived");
        }
    }

    /** What a sink has lost is in the journal still, and so it can be had again; but for what the journal itself lost. */
    private void sayHowToResend(SinkStatus status, List<SinkProvider> providers) {
        Ledger ledger = status.ledger();
        boolean keepsTheRecord = providers.stream()
                .anyMatch(provider -> provider.isDurable() && provider.name().equals(status.name()));
        if (ledger.lost() + ledger.queued() > 0 && !keepsTheRecord) {
            console.err()
                    .println("to send them again: " + console.program() + " resend --sink " + status.name()
                            + sinkOptions.toRepeat());
        }
    }

    private void sayInterrupted(Figures all, int size) {
        console.err()
                .println("interrupted: " + (all.completed() + all.failed()) + " runs had ended, " + all.aborted()
                        + " were aborted, " + (size - all.runs()) + " were not started");
        console.err().flush();
    }
}
