package dev.rlm.runner.job;

import dev.rlm.cli.Console;
import dev.rlm.cli.Deliveries;
import dev.rlm.cli.OpenConsoles;
import dev.rlm.cli.Redactions;
import dev.rlm.cli.Shell;
import dev.rlm.cli.SinkOptions;
import dev.rlm.cli.terminal.Printable;
import dev.rlm.cli.terminal.Progress;
import dev.rlm.engine.EpisodeResult;
import dev.rlm.journal.Journal;
import dev.rlm.runner.episode.Job;
import dev.rlm.runner.replay.Divergence;
import dev.rlm.runner.replay.ReplaySummary;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkStatus;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.schema.RunFigures;
import java.io.PrintWriter;
import java.io.Writer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/** Messages of a job: its progress, trouble with sinks, its results, and what the user can do about them. */
final class JobMessages {
    private static final int SHOWN = 20;
    private static final String RESUME = "--resume";

    private final Console console;
    private final SinkOptions options;
    private final SinkConfig config;
    private final Sinks sinks;
    private final boolean quiet;
    private final boolean json;
    private final Set<String> warned = new HashSet<>();
    private JobLog log = JobLog.none();

    /**
     * Those of one job.
     *
     * @param options what was said of the sinks
     * @param config what they are configured by
     * @param quiet whether to leave out what is no result and no failure
     * @param json whether the result is one JSON object
     */
    JobMessages(Console console, SinkOptions options, SinkConfig config, Sinks sinks, boolean quiet, boolean json) {
        this.console = console;
        this.options = options;
        this.config = config;
        this.sinks = sinks;
        this.quiet = quiet;
        this.json = json;
    }

    /** From now on the job's log has all that is said, too. */
    void logIn(JobLog jobLog) {
        log = jobLog;
    }

    /** Says it where it is good to know, and no failure. */
    void hint(String warning) {
        if (!quiet) {
            warn(warning);
        }
    }

    private void warn(String warning) {
        console.warn(warning);
        log.line("warning: " + warning);
    }

    /** Takes down a run that has failed, by its error's class: what else it says belongs to the run, and goes with it. */
    void failed(EpisodeResult failure) {
        log.line("failed: run " + failure.runId() + ": " + failure.failure().replaceFirst("(?s)[^\\w.$].*", ""));
    }

    /** Says all of that, unless it is too much; {@code --json} has the rest. */
    void warn(List<String> warnings) {
        warnings.stream().limit(SHOWN).forEach(warning -> warn(redacted(warning)));
        if (warnings.size() > SHOWN) {
            warn("and " + (warnings.size() - SHOWN) + " more of that kind");
        }
    }

    /** Tells in what replays differ from their runs. */
    private void divergences(ReplaySummary replays) {
        List<Divergence> all = replays.divergences();
        all.stream().limit(SHOWN).forEach(divergence -> say("differs: " + divergence));
        if (all.size() > SHOWN) {
            say("and " + (all.size() - SHOWN) + " more, which --json lists");
        }
    }

    /** Returns the stream for what is good to know, and no failure. */
    PrintWriter information() {
        return quiet ? new PrintWriter(Writer.nullWriter()) : console.err();
    }

    /** Shows how far something is, until it is closed. */
    Progress progress(Supplier<String> line) {
        return new Progress(
                console.err(),
                console.terminal() && !quiet,
                line,
                quiet || json ? Duration.ZERO : Progress.LOG_INTERVAL);
    }

    /** Takes down how far something is, until it is closed. */
    Progress logged(Supplier<String> line) {
        return new Progress(log.lines(), false, line, Progress.LOG_INTERVAL);
    }

    /** Warns of sinks that are not available, of each once. */
    void unavailable(List<SinkStatus> statuses) {
        for (SinkStatus status : statuses) {
            String key =
                    status.enabled() ? status.name() : status.detail(); // providers that cannot be loaded share a name
            if (!status.available() && warned.add(key)) {
                warn("sink '" + status.name() + "' is not available: " + status.detail());
            }
        }
    }

    /** Says how much of a resumed job was done before. */
    void resumed(Job job, int retries) {
        if (quiet || json) {
            return;
        }
        console.err().println("resumed: " + job.ended() + " of " + job.size() + " had been done");
        if (job.ended() == job.size()) {
            boolean failed = job.counts().failed() > 0;
            console.err()
                    .println("nothing is left to do"
                            + (failed ? "; --retries " + (retries + 1) + " would try failed runs again" : ""));
        }
        console.err().flush();
    }

    /** Tells what the job came to, once its sinks are closed. */
    void tell(Summary summary) {
        if (json) {
            SummaryJson.print(console.out(), summary);
        } else {
            Optional<String> page = OpenConsoles.of(config).find(Journal.configured(config));
            new SummaryText(console.out(), summary, page.orElse(null)).print(console.program(), options.toRepeat());
        }
        if (summary.replays() != null) {
            divergences(summary.replays());
        }
        unavailable(summary.sinks());
        summary.sinks().stream()
                .flatMap(sink -> Deliveries.losses(sink).stream())
                .forEach(this::warn);
        Redactions.warning(summary.redactions()).ifPresent(this::warn);
        if (summary.journal().isPresent() && !quiet) {
            summary.sinks().stream()
                    .map(sink -> Deliveries.howToResend(sink, sinks, config, console.program(), options.toRepeat()))
                    .flatMap(Optional::stream)
                    .forEach(console.err()::println);
        }
    }

    /**
     * Tells why a job has stopped before its end, what is left of it, and how to go on where it can be.
     *
     * @param resumable whether the journal has it
     * @param arguments the program's
     */
    void stopped(Job job, Summary summary, boolean resumable, List<String> arguments) {
        RunFigures all = summary.all();
        say((job.wasInterrupted() ? "interrupted: " : "stopped, since too many runs have failed: ")
                + all.counted() + " runs had ended, " + all.ended(Outcome.ABORTED) + " were aborted, "
                + summary.extent().notStarted() + " were not started");
        job.fatal().forEach(failure -> print("failed: run " + failure.runId() + ": " + redacted(failure.failure())));
        if (resumable && !quiet && job.ended() < job.size()) {
            List<String> command = new ArrayList<>(List.of(console.program()));
            command.addAll(arguments);
            if (arguments.stream().noneMatch(word -> word.equals(RESUME) || word.startsWith(RESUME + "="))) {
                command.add(RESUME);
            }
            say("to go on: " + redacted(Shell.line(command)));
        }
    }

    /** Says a line, whatever is to be left out. */
    void say(String line) {
        print(line);
        log.line(line);
    }

    private void print(String line) {
        console.err().println(Printable.line(line));
        console.err().flush();
    }

    /** Returns the text without secrets. */
    String redacted(String text) {
        return sinks.content(text).text();
    }
}
