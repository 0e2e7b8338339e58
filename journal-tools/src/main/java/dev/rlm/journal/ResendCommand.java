package dev.rlm.journal;

import dev.rlm.cli.Interruption;
import dev.rlm.cli.UsageException;
import dev.rlm.cli.terminal.Json;
import dev.rlm.cli.terminal.Progress;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.jsonl.Replay;
import dev.rlm.sinks.jsonl.Resent;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The command that sends a journal through sinks again. */
@Command(
        name = "resend",
        description = "Sends a journal through sinks again, with the original times and ids.",
        mixinStandardHelpOptions = true)
public final class ResendCommand extends JournalVerb {
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

    @Override
    protected int execute() throws Exception {
        return interruptibly(this::resend);
    }

    private int resend() {
        Path journal = directory();
        try (Sinks sinks = resendingSinks.open(config(), purpose(), journal)) {
            if (!ResendingSinks.areChosen(sinks)) {
                throw new UsageException("no sink is chosen to send to: " + ResendingSinks.hint(sinks));
            }
            Replay replay = chosen(Replay.of(journal));
            Resent resent = send(replay, sinks);
            sinks.close(Interruption.CLOSE_TIME);
            boolean interrupted = Thread.interrupted() || resent.interrupted();
            report(replay, resent);
            return interrupted ? Interruption.EXIT_CODE : resent.isComplete() ? CommandLine.ExitCode.OK : 1;
        }
    }

    private UnaryOperator<Sinks.Builder> purpose() {
        return metrics ? Sinks.Builder::resendingAndMeasuring : Sinks.Builder::resending;
    }

    private Replay chosen(Replay all) {
        Replay these = runs.isEmpty() ? all : all.runs(runs);
        return since == null ? these : these.since(since);
    }

    private Resent send(Replay replay, Sinks sinks) {
        AtomicInteger sent = new AtomicInteger();
        int size = replay.size();
        try (Progress ignored = progress(() -> sent.get() + " of " + size + " runs have been sent")) {
            return replay.sendTo(sinks, sent::set);
        }
    }

    private void report(Replay replay, Resent resent) {
        PrintWriter out = out();
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
            err().println("interrupted: " + resent.runs() + " of " + replay.size()
                    + " runs had been sent; to send all again does not double them");
        }
        ResentText.warn(err(), resent, "resend");
    }
}
