package dev.rlm.runner.journal;

import dev.rlm.runner.terminal.Interruption;
import dev.rlm.runner.terminal.Json;
import dev.rlm.runner.terminal.Printable;
import dev.rlm.runner.terminal.Progress;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkConfigException;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.jsonl.JournalException;
import dev.rlm.sinks.jsonl.Replay;
import dev.rlm.sinks.jsonl.Resent;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command that sends a journal through sinks again. */
@Command(
        name = "resend",
        description = "Sends a journal through sinks again, with the original times and ids.",
        mixinStandardHelpOptions = true)
public final class ResendCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // set before call()
    private CommandSpec spec;

    @Mixin
    private final JournalOption journalOption;

    @Option(
            names = "--run",
            paramLabel = "ID",
            completionCandidates = LastRun.class,
            description = "Only this run, by its id or the beginning of it; last for the run that started last."
                    + " May be repeated.")
    private List<String> runs = new ArrayList<>();

    @Option(
            names = "--since",
            paramLabel = "TIME",
            converter = Since.class,
            description = "Only runs that started then or later: 2026-03-01T10:20:30Z, 2026-03-01, or an age: 2h, 3d.")
    private @Nullable Instant since;

    @Mixin
    private final ResendingSinks resendingSinks = new ResendingSinks();

    @Option(
            names = "--metrics",
            description =
                    "Send measurements and log records as well. What was sent when the runs took place then doubles.")
    private boolean metrics;

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    private final SinkConfig config;
    private final boolean terminal;

    /** The command, for a program with this configuration; whether a person sees its progress as it comes. */
    public ResendCommand(SinkConfig config, boolean terminal) {
        journalOption = new JournalOption(config);
        this.config = config;
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        Path journal = journalOption.directory();
        Thread worker = Thread.currentThread();
        try (Interruption ignored = new Interruption(worker::interrupt);
                Sinks sinks = resendingSinks.open(config, purpose(), journal)) {
            if (!ResendingSinks.areChosen(sinks)) {
                throw usage("no sink is chosen to send to: " + ResendingSinks.hint(sinks), null);
            }
            Replay replay = chosen(Replay.of(journal));
            Resent resent = send(replay, sinks);
            sinks.close(Interruption.CLOSE_TIME);
            boolean interrupted = Thread.interrupted() || resent.interrupted();
            report(replay, resent);
            return interrupted ? Interruption.EXIT_CODE : resent.isComplete() ? CommandLine.ExitCode.OK : 1;
        } catch (JournalException | SinkConfigException e) {
            if (Thread.interrupted()) {
                return Interruption.EXIT_CODE;
            }
            throw usage(String.valueOf(e.getMessage()), e);
        }
    }

    private UnaryOperator<Sinks.Builder> purpose() {
        return metrics ? Sinks.Builder::resendingAndMeasuring : Sinks.Builder::resending;
    }

    private ParameterException usage(String message, @Nullable Exception cause) {
        return new ParameterException(spec.commandLine(), Printable.line(message), cause);
    }

    private Replay chosen(Replay all) {
        Replay these = runs.isEmpty() ? all : all.runs(runs);
        return since == null ? these : these.since(since);
    }

    private Resent send(Replay replay, Sinks sinks) {
        AtomicInteger sent = new AtomicInteger();
        int size = replay.size();
        try (Progress ignored = new Progress(
                spec.commandLine().getErr(), terminal, () -> sent.get() + " of " + size + " runs have been sent")) {
            return replay.sendTo(sinks, sent::set);
        }
    }

    private void report(Replay replay, Resent resent) {
        PrintWriter out = spec.commandLine().getOut();
        int live = replay.liveRuns();
        if (json) {
            Json.print(out, generator -> {
                ResentText.write(generator, resent);
                generator.writeNumberProperty("live_runs", live);
            });
        } else {
            String damage = resent.damagedLines() == 0 ? "" : "; damaged lines passed over: " + resent.damagedLines();
            ResentText.line(
                    out,
                    "sent",
                    resent.runs() + " of " + replay.size() + " runs, " + resent.events() + " events" + damage);
            if (live > 0) {
                ResentText.line(out, "left out", live + (live == 1 ? " run that goes on" : " runs that go on"));
            }
            ResentText.print(out, resent);
        }
        out.flush();
        if (resent.interrupted()) {
            spec.commandLine()
                    .getErr()
                    .println("interrupted: " + resent.runs() + " of " + replay.size()
                            + " runs had been sent; to send all again does not double them");
        }
        ResentText.warn(spec.commandLine().getErr(), resent, "resend");
    }
}
