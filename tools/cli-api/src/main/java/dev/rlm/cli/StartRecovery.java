package dev.rlm.cli;

import dev.rlm.cli.terminal.Counted;
import dev.rlm.cli.terminal.Printable;
import dev.rlm.journal.Journal;
import dev.rlm.journal.recovery.BackgroundRecovery;
import dev.rlm.journal.recovery.Recovered;
import dev.rlm.journal.recovery.Recovery;
import dev.rlm.journal.recovery.Resent;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkProvider;
import dev.rlm.sinks.Sinks;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The recovery of the journal at the start of a job that records in it: it neither holds the job up nor fails it. */
public final class StartRecovery implements AutoCloseable {
    private final PrintWriter err;
    private final @Nullable BackgroundRecovery recovery;

    private StartRecovery(PrintWriter err, @Nullable BackgroundRecovery recovery) {
        this.err = err;
        this.recovery = recovery;
    }

    /**
     * Begins it, where one of the job's sinks keeps its record in the journal.
     *
     * @param names the job's sinks; empty where the configuration chooses
     * @param sinks the job's hub
     */
    public static StartRecovery of(SinkConfig config, List<String> names, Sinks sinks, PrintWriter err) {
        return of(config, names, sinks, err, builder -> builder);
    }

    /**
     * Begins it as {@link #of(SinkConfig, List, Sinks, PrintWriter)}.
     *
     * @param more adds sinks that what died on its way is sent to besides
     */
    public static StartRecovery of(
            SinkConfig config, List<String> names, Sinks sinks, PrintWriter err, UnaryOperator<Sinks.Builder> more) {
        Path journal = Journal.configured(config).toAbsolutePath().normalize();
        if (!RecordPlaces.areIn(journal, sinks)) {
            return new StartRecovery(err, null);
        }
        return new StartRecovery(err, Recovery.start(journal, () -> resending(config, names, more)));
    }

    /** The job's sinks but for those that keep the record. */
    private static Sinks resending(SinkConfig config, List<String> names, UnaryOperator<Sinks.Builder> more) {
        Sinks.Builder builder = more.apply(Sinks.builder().config(config).recovering());
        if (!names.isEmpty()) {
            Set<String> durable = Sinks.providers(config).stream()
                    .filter(SinkProvider::isDurable)
                    .map(SinkProvider::name)
                    .collect(Collectors.toSet());
            builder.only(names.stream().filter(name -> !durable.contains(name)).toList());
        }
        return builder.build();
    }

    /** Returns whether one of the job's sinks keeps its record in the journal. */
    public boolean isOfJournal() {
        return recovery != null;
    }

    private void say(String line) {
        err.println(Printable.line(line));
        err.flush();
    }

    /** Gives it some more time, and says what it did, and where it did not manage. */
    public void close(Duration timeout) {
        if (recovery != null) {
            recovery.close(timeout);
            Recovered recovered = recovery.recovered();
            if (recovered.writers() > 0) {
                say("recovered the journal: " + died(recovered));
                damage(recovered).forEach(this::say);
            }
            Optional<Resent> resent = recovery.resent();
            if (recovery.isUnfinished()) {
                say("warning: not all runs of the writers that died have been sent again"
                        + resent.flatMap(StartRecovery::problem).orElse("") + ": recover goes on with it");
            }
        }
    }

    /** Returns what was done, in words. */
    public static String died(Recovered journal) {
        return Counted.of(journal.writers(), "process", "processes") + " had died, " + Counted.of(journal.runs(), "run")
                + " abandoned";
    }

    /** Returns what was not whole in the records of those that had died, in words: a line for each file, and one for the lines. */
    public static List<String> damage(Recovered journal) {
        List<String> lines = new ArrayList<>();
        for (Recovered.SetAside bytes : journal.setAside()) {
            lines.add(Counted.of(bytes.bytes(), "byte") + " behind the last whole line set aside in " + bytes.file());
        }
        if (journal.damagedLines() > 0) {
            lines.add(Counted.of(journal.damagedLines(), "damaged line was", "damaged lines were") + " passed over");
        }
        return lines;
    }

    private static Optional<String> problem(Resent resent) {
        return resent.sinks().stream()
                .filter(sink -> !sink.isComplete())
                .map(sink -> " to '" + sink.name() + "'")
                .findFirst();
    }

    @Override
    public void close() {
        if (recovery != null) {
            recovery.close(Duration.ZERO);
        }
    }
}
