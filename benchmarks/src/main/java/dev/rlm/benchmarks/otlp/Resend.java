package dev.rlm.benchmarks.otlp;

import dev.rlm.benchmarks.TemporaryFolder;
import dev.rlm.benchmarks.figure.Contender;
import dev.rlm.benchmarks.figure.FigureException;
import dev.rlm.benchmarks.figure.Fork;
import dev.rlm.benchmarks.figure.Sample;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.jsonl.JsonlSink;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** {@link Resending}, of a journal that is written before the first round and goes when the program ends. */
final class Resend implements Contender {
    private static final int STEPS_OF_RUN = 1_000;
    private static final Duration LONG = Duration.ofMinutes(1);

    private final String name;
    private final int runs;
    private final int warmUp;
    private final int measured;
    private @Nullable Path journal;

    /** Of a journal with so many thousand steps, sent so often. */
    Resend(String name, int runs, int warmUp, int measured) {
        this.name = name;
        this.runs = runs;
        this.warmUp = warmUp;
        this.measured = measured;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Sample measure() {
        try {
            if (journal == null) {
                journal = written(runs);
            }
        } catch (IOException e) {
            throw new FigureException("no journal could be written: " + e.getMessage());
        }
        return Fork.of(
                        name,
                        "1g",
                        Resending.class,
                        journal.toString(),
                        String.valueOf(runs),
                        String.valueOf(runs * STEPS_OF_RUN),
                        String.valueOf(warmUp),
                        String.valueOf(measured))
                .measure();
    }

    private static Path written(int runs) throws IOException {
        Path folder = TemporaryFolder.untilExit("resend").path();
        Sinks hub = Sinks.builder()
                .add(
                        "jsonl",
                        JsonlSink.builder().directory(folder).compress(false).build())
                .build();
        for (int i = 0; i < runs; i++) {
            hub.awaitRoom(LONG);
            RlmFeed.run(hub, STEPS_OF_RUN, () -> {});
        }
        hub.close(LONG);
        return folder;
    }
}
