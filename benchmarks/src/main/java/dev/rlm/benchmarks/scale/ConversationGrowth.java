package dev.rlm.benchmarks.scale;

import dev.rlm.benchmarks.TemporaryFolder;
import dev.rlm.benchmarks.Texts;
import dev.rlm.benchmarks.figure.FigureException;
import dev.rlm.benchmarks.figure.Sample;
import dev.rlm.journal.Journal;
import dev.rlm.sinks.ModelCall;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.jsonl.JsonlSink;
import io.airlift.compress.zstd.ZstdOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Cost of a conversation of so many turns, of which each hands the model all that was said before, as texts that are other objects each time. A turn
 * says 6,000 characters.
 */
final class ConversationGrowth {
    static final String BYTES = "journal ÷ text";
    static final String COMPRESSED = "journal ÷ text, compressed";
    static final String CPU = "ms of CPU a turn";
    static final String READ = "ms to read a turn";

    private static final Duration LONG = Duration.ofMinutes(2);
    private static final int TEXT = 3_000; // characters of a question, and of a reply
    private static final int WARM_UP = 60; // turns
    private static final double MILLION = 1e6;

    private ConversationGrowth() {}

    /** With the number of turns. */
    public static void main(String[] args) throws IOException {
        measure(Integer.parseInt(args[0])).print();
    }

    static Sample measure(int turns) throws IOException {
        Map<String, Double> values = new HashMap<>();
        try (TemporaryFolder first = TemporaryFolder.create("warm");
                TemporaryFolder plain = TemporaryFolder.create("turns")) {
            converse(first.path(), WARM_UP);
            long cpu = cpu();
            double text = converse(plain.path(), turns);
            values.put(CPU, (cpu() - cpu) / MILLION / turns);
            values.put(BYTES, size(plain.path()) / text);
            values.put(COMPRESSED, compressed(plain.path()) / text);
            long start = System.nanoTime();
            int events = Journal.open(plain.path()).events("run").size();
            if (events != turns + 2) {
                throw new FigureException(events + " of " + (turns + 2) + " events were read");
            }
            values.put(READ, (System.nanoTime() - start) / MILLION / turns);
        }
        return new Sample(values);
    }

    private static double converse(Path folder, int turns) {
        Texts texts = new Texts(turns);
        List<String> said = new ArrayList<>();
        JsonlSink journal =
                JsonlSink.builder().directory(folder).compress(false).build();
        try (Sinks sinks =
                Sinks.builder().add("jsonl", journal).heartbeat(Duration.ZERO).build()) {
            try (Run run =
                    sinks.startRun(RunSpec.builder("benchmark").runId("run").build())) {
                for (int i = 0; i < turns; i++) {
                    said.add(texts.prose(TEXT));
                    try (ModelCall call = run.startModelCall("openai", "m")) {
                        for (int j = 0; j < said.size(); j++) {
                            call.message(j % 2 == 0 ? "user" : "assistant", copy(said.get(j)));
                        }
                        said.add(texts.code(TEXT));
                        call.reply(said.get(said.size() - 1));
                    }
                    sinks.flush(LONG);
                }
                run.complete("");
            }
            if (!sinks.flush(LONG).isComplete()) {
                throw new FigureException("events were lost");
            }
        }
        return said.stream().mapToInt(String::length).sum();
    }

    private static String copy(String text) {
        return String.valueOf(text.toCharArray());
    }

    private static double size(Path folder) throws IOException {
        double size = 0;
        for (Path file : files(folder)) {
            size += Files.size(file);
        }
        return size;
    }

    /** Size of what closed files of a journal come to. */
    private static double compressed(Path folder) throws IOException {
        CountingStream counted = new CountingStream();
        for (Path file : files(folder)) {
            try (OutputStream zstd = new ZstdOutputStream(counted)) {
                Files.copy(file, zstd);
            }
        }
        return counted.count;
    }

    private static List<Path> files(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(Files::isRegularFile).toList();
        }
    }

    /** Counts bytes. */
    private static final class CountingStream extends OutputStream {
        private long count;

        @Override
        public void write(int b) {
            count++;
        }

        @Override
        public void write(byte[] bytes, int from, int length) {
            count += length;
        }
    }

    private static long cpu() {
        return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
                .getProcessCpuTime();
    }
}
