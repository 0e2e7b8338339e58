package dev.rlm.sinks.jsonl;

import dev.rlm.journal.Journal;
import dev.rlm.journal.WriterLines;
import dev.rlm.journal.format.JournalFolder;
import dev.rlm.journal.line.EventReader;
import dev.rlm.sinks.Ledger;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.SinkStatus;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.event.EventType;
import dev.rlm.sinks.event.LedgerReported;
import java.io.FileInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/** A process that records runs where the operating system lets something fail, and tells what came of it. */
final class FaultyProcess {
    private FaultyProcess() {}

    /**
     * What came of it.
     *
     * @param ledger of the sink, after it was closed
     * @param readable how many events are in the journal, ledgers among them, each once
     * @param files how many files there are
     * @param unavailable whether the status ever said that the sink is not available
     */
    record Result(
            String ledger,
            long offered,
            long delivered,
            long lost,
            long queued,
            long readable,
            long files,
            boolean unavailable,
            String detail) {
        static Result of(String line) {
            String[] parts = line.split("\t", -1);
            return new Result(
                    parts[0],
                    Long.parseLong(parts[1]),
                    Long.parseLong(parts[2]),
                    Long.parseLong(parts[3]),
                    Long.parseLong(parts[4]),
                    Long.parseLong(parts[5]),
                    Long.parseLong(parts[6]),
                    Boolean.parseBoolean(parts[7]),
                    parts[8]);
        }
    }

    /** Runs it within a command that lets something fail. */
    static Result run(List<String> around, Path directory, int runs, int textLength, String... more)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(around);
        command.addAll(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:-UsePerfData", // which is a file too
                "-cp",
                System.getProperty("java.class.path"),
                FaultyProcess.class.getName(),
                directory.toString(),
                String.valueOf(runs),
                String.valueOf(textLength)));
        command.addAll(List.of(more));
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (!process.waitFor(1, TimeUnit.MINUTES) || process.exitValue() != 0) {
            throw new IOException(command + " has not ended well: " + out);
        }
        return Result.of(out.strip());
    }

    @SuppressWarnings("SystemOut") // the other process reads it
    public static void main(String[] args) throws IOException {
        Path directory = Path.of(args[0]);
        String text = "x".repeat(Integer.parseInt(args[2]));
        List<FileInputStream> greedy =
                List.of(args).contains("greedy") ? openAll(directory.resolveSibling("else")) : List.of();
        JsonlSink sink =
                JsonlSink.builder().directory(directory).compress(false).build();
        String prefix =
                List.of(args).contains("others") ? ProcessHandle.current().pid() + "-" : "run-";
        boolean unavailable = false;
        SinkStatus status;
        try (Sinks sinks = Sinks.builder().add("jsonl", sink).build()) {
            for (int i = 0; i < Integer.parseInt(args[1]); i++) {
                record(sinks, prefix + i, text);
                sinks.flush(Duration.ofMillis(100));
                unavailable |= !sinks.statuses().get(0).available();
            }
            for (FileInputStream file : greedy) {
                file.close();
            }
            sinks.flush(Duration.ofSeconds(10));
            sinks.close();
            status = sinks.statuses().get(0);
        }
        System.out.println(line(status, directory, unavailable));
    }

    private static void record(Sinks sinks, String runId, String text) {
        try (Run run = sinks.startRun(RunSpec.builder("calc").runId(runId).build())) {
            try (Step step = run.startStep()) {
                step.action("say", text);
                step.complete(text);
            }
            run.complete("done");
        }
    }

    /** Opens files until no more can be, when all classes are loaded: from a folder each takes one. */
    private static List<FileInputStream> openAll(Path elsewhere) throws IOException {
        FaultyDisk disk = new FaultyDisk();
        disk.fault((what, file) -> {
            throw new FileSystemException(file.toString(), null, "Too many open files");
        });
        JsonlSink sink = JsonlSink.builder().directory(elsewhere).disk(disk).build();
        try (Sinks sinks = Sinks.builder().add("jsonl", sink).build()) {
            record(sinks, "failing", "");
            sinks.flush(Duration.ofSeconds(1));
            disk.fault((what, file) -> {});
            record(sinks, "succeeding", "");
            sinks.flush(Duration.ofSeconds(1));
            sinks.statuses();
        }
        List<FileInputStream> all = new ArrayList<>();
        try {
            while (true) {
                all.add(new FileInputStream("/dev/null"));
            }
        } catch (FileNotFoundException e) {
            return all;
        }
    }

    private static String line(SinkStatus status, Path directory, boolean unavailable) throws IOException {
        Ledger ledger = status.ledger();
        AtomicLong readable = new AtomicLong();
        if (Files.isDirectory(directory) && !JournalFolder.writers(directory).isEmpty()) {
            Journal journal = Journal.open(directory);
            journal.read(journal.runs(), (run, events) -> readable.addAndGet(events.size()));
            readable.addAndGet(ledgers(directory).size());
        }
        return String.join(
                "\t",
                ledger.losses().toString(),
                String.valueOf(ledger.offered()),
                String.valueOf(ledger.delivered()),
                String.valueOf(ledger.lost()),
                String.valueOf(ledger.queued()),
                String.valueOf(readable.get()),
                String.valueOf(files(directory)),
                String.valueOf(unavailable),
                status.detail());
    }

    /** The ledgers' lines, each once. */
    private static Set<LedgerReported> ledgers(Path directory) throws IOException {
        Set<LedgerReported> all = new HashSet<>();
        WriterLines lines = new WriterLines((segment, line) -> {
            if (line.head().is(EventType.LEDGER_REPORTED)) {
                all.add((LedgerReported) EventReader.readApart(EventType.LEDGER_REPORTED, line.read()));
            }
        });
        for (Path writer : JournalFolder.writers(directory)) {
            lines.read(writer, true);
        }
        return all;
    }

    private static long files(Path directory) {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(Files::isRegularFile).count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
