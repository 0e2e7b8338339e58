package dev.rlm.benchmarks.otlp;

import dev.rlm.benchmarks.figure.Sample;
import dev.rlm.cli.Console;
import dev.rlm.cli.program.Rlm;
import dev.rlm.sinks.SinkConfig;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Map;

/**
 * Steps a second that {@code rlm resend} brings from a journal to a receiver: from the command's start to its end, with
 * the reading of the journal and the closing of the sink, without the start of a JVM.
 */
final class Resending {
    private static final double SECOND = 1e9;

    private Resending() {}

    /** The arguments: a journal's folder, how many runs and steps in all are in it, how often to warm up and to measure. */
    public static void main(String[] args) throws IOException {
        long runs = Long.parseLong(args[1]);
        long steps = Long.parseLong(args[2]);
        try (CountingReceiver receiver = new CountingReceiver()) {
            send(args[0], Integer.parseInt(args[3]), receiver);
            long before = receiver.spans();
            int times = Integer.parseInt(args[4]);
            long start = System.nanoTime();
            send(args[0], times, receiver);
            long took = System.nanoTime() - start;
            long arrived = receiver.spans() - before;
            long sent = times * (steps + 2 * runs); // a run has its own span and the marker of its start
            if (arrived != sent) {
                throw new IllegalStateException(arrived + " spans arrived of " + sent);
            }
            new Sample(Map.of(ArrivalRate.RATE, times * steps / (double) took * SECOND)).print();
        }
    }

    private static void send(String journal, int times, CountingReceiver receiver) {
        for (int i = 0; i < times; i++) {
            StringWriter said = new StringWriter();
            Console console = new Console(new PrintWriter(said), new PrintWriter(said), false, "rlm");
            int code = Rlm.execute(console, config(receiver), "resend", "--journal", journal, "--sink", "otel");
            if (code != 0) {
                throw new IllegalStateException("not sent: " + said);
            }
        }
    }

    private static SinkConfig config(CountingReceiver receiver) {
        return SinkConfig.of(Map.of(
                "OTEL_EXPORTER_OTLP_ENDPOINT",
                receiver.endpoint(Way.PROTOCOL),
                "OTEL_EXPORTER_OTLP_PROTOCOL",
                Way.PROTOCOL));
    }
}
