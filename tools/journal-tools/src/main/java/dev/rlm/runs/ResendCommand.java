package dev.rlm.runs;

import dev.rlm.cli.Period;
import dev.rlm.cli.UsageException;
import dev.rlm.cli.recorded.LastRun;
import dev.rlm.cli.terminal.Counted;
import dev.rlm.cli.terminal.Progress;
import dev.rlm.journal.Journal;
import dev.rlm.journal.recovery.Replay;
import dev.rlm.journal.recovery.Resent;
import dev.rlm.sinks.SinkStatus;
import dev.rlm.sinks.Sinks;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tools.jackson.core.JsonGenerator;

/** The command that sends a journal through sinks again. */
@Command(
        name = "resend",
        description = "Sends a journal through sinks again, with the original times and ids.",
        mixinStandardHelpOptions = true)
public final class ResendCommand extends ResendingVerb {
    @Option(
            names = "--run",
            paramLabel = "ID",
            completionCandidates = LastRun.class,
            description = "Only this run, by its id or the beginning of it; last for the run that started last."
                    + " May be repeated.")
    private List<String> runs = new ArrayList<>();

    @Mixin
    private final Period period = new Period();

    @Option(
            names = "--metrics",
            description =
                    "Send measurements and log records as well. What was sent when the runs took place then doubles.")
    private boolean metrics;

    @SuppressWarnings("NullAway.Init") // set before it is told
    private Replay replay;

    @Override
    Sinks.Builder purpose(Sinks.Builder builder) {
        return metrics ? builder.resendingAndMeasuring() : builder.resending();
    }

    @Override
    Resent send(Path journal, Sinks sinks) {
        if (sinks.statuses().stream().noneMatch(SinkStatus::enabled)) { // one that cannot be made counts
            throw new UsageException("no sink is chosen to send to: "
                    + sinks.statuses().stream()
                            .map(status -> status.name() + ": " + status.detail())
                            .collect(Collectors.joining("; ")));
        }
        Replay all = Replay.of(Journal.openToRead(journal.toAbsolutePath().normalize(), index()));
        Replay these = runs.isEmpty() ? all : all.runs(runs);
        replay = period.isWhole() ? these : these.at(period::contains);
        AtomicInteger sent = new AtomicInteger();
        try (Progress ignored = progress(() -> sent.get() + " of " + replay.size() + " runs have been sent")) {
            return replay.sendTo(sinks, sent::set);
        }
    }

    @Override
    void write(JsonGenerator generator, Resent resent) {
        writeSent(generator, resent);
        generator.writeNumberProperty("live_runs", replay.liveRuns());
    }

    @Override
    void print(Resent resent) {
        int live = replay.liveRuns();
        String damage = resent.damagedLines() == 0 ? "" : "; damaged lines passed over: " + resent.damagedLines();
        line(
                "sent",
                resent.runs() + " of " + replay.size() + " runs, " + Counted.of(resent.events(), "event") + damage);
        if (live > 0) {
            line("left out", Counted.of(live, "run that goes on", "runs that go on"));
        }
        printSinks(resent);
    }

    @Override
    boolean tellProblems(Resent resent) {
        if (resent.interrupted()) {
            err().println("interrupted: " + resent.runs() + " of " + replay.size()
                    + " runs had been sent; to send all again does not double them");
        }
        return true;
    }
}
