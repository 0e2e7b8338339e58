package dev.rlm.benchmarks.reading;

import dev.rlm.benchmarks.TemporaryFolder;
import dev.rlm.benchmarks.figure.Contender;
import dev.rlm.benchmarks.figure.FigureException;
import dev.rlm.benchmarks.figure.Fork;
import dev.rlm.benchmarks.figure.Sample;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A contender that reads a journal of so many steps for a report or an export. */
record Reading(String name, Kind kind, boolean export, int steps) implements Contender {
    static final String STEPS_A_SECOND = "steps/s";
    static final String NANOS_A_STEP = "ns/step";

    private static final List<String> HEAP = List.of("-Xms256m", "-Xmx256m");
    private static final List<String> REPORT_OPTIONS = // this and those below as rlm has them for a large journal
            List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");
    private static final List<String> EXPORT_OPTIONS =
            List.of("-XX:+UseParallelGC", "-XX:FreqInlineSize=100", "-XX:InlineSmallCode=1000");
    private static final String DUCKDB_HEAP = "64m"; // its own memory is not Java's

    /** Readers. */
    enum Kind {
        DUCKDB,
        /** {@code rlm}, which makes its index in memory. */
        RLM,
        /** {@code rlm}, which finds the index of the journal. */
        INDEXED
    }

    static Sample sample(int steps, long nanos) {
        return new Sample(Map.of(
                STEPS_A_SECOND,
                (double) steps * TimeUnit.SECONDS.toNanos(1) / nanos,
                NANOS_A_STEP,
                (double) nanos / steps));
    }

    @Override
    public Sample measure() {
        String journal = Journals.of(steps).toString();
        try (TemporaryFolder out = TemporaryFolder.create("export");
                TemporaryFolder index = TemporaryFolder.create("index")) {
            String kept = kind == Kind.INDEXED ? index.path().toString() : "none";
            if (kind == Kind.INDEXED) {
                var unused = rlm(List.of("list", "--journal", journal, "--limit", "1", "--index", kept))
                        .measure();
            }
            return fork(journal, kept, out.path().toString()).measure();
        } catch (IOException e) {
            throw new FigureException(name + ": " + e.getMessage());
        }
    }

    private Fork fork(String journal, String index, String out) {
        String verb = export ? "export" : "report";
        if (kind == Kind.DUCKDB) {
            return Fork.of(name, DUCKDB_HEAP, ReadByDuckDb.class, String.valueOf(steps), verb, journal, out);
        }
        List<String> command = new ArrayList<>(List.of(verb, "--journal", journal, "--index", index, "--json"));
        if (export) {
            command.addAll(List.of("--format", "csv", "--output", out + "/csv"));
        }
        return rlm(command);
    }

    private Fork rlm(List<String> command) {
        List<String> arguments = new ArrayList<>(List.of(String.valueOf(steps)));
        arguments.addAll(command);
        List<String> options = new ArrayList<>(HEAP);
        options.addAll(export ? EXPORT_OPTIONS : REPORT_OPTIONS);
        return new Fork(name, options, ReadByRlm.class, arguments);
    }
}
