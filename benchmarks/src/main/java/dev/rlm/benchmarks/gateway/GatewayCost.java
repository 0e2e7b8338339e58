package dev.rlm.benchmarks.gateway;

import dev.rlm.benchmarks.Median;
import dev.rlm.benchmarks.RlmUnderLoad;
import dev.rlm.benchmarks.TemporaryFolder;
import dev.rlm.benchmarks.figure.FigureException;
import dev.rlm.benchmarks.figure.Sample;
import dev.rlm.benchmarks.gateway.StreamClient.Reply;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;

/**
 * Time that the gateway adds to streamed replies, so many at once, against going to the model directly: blocks of calls on both
 * ways take turns in one process. Before them come calls without a pause on both ways, whose rates are told, too.
 */
final class GatewayCost {
    static final String FIRST_P50 = "ms added to the first token, p50";
    static final String FIRST_P99 = "ms added to the first token, p99";
    static final String WHOLE_P50 = "ms added to a call, p50";
    static final String WHOLE_P99 = "ms added to a call, p99";
    static final String RATE = "calls/s";
    static final String MEMORY = "KB a stream";

    private static final String PATH = "/rollout_id/r%d/v1";
    private static final int PAIRS = 3;
    private static final int WARM_UP = 2_000; // calls
    private static final int AT_A_TIME = 16; // of calls without a pause
    private static final double MILLISECOND = 1e6;
    private static final double SECOND = 1e9;
    private static final double HIGH = 0.99;

    private final StreamedModel model;
    private final RlmUnderLoad gateway;
    private final int streams;
    private final ExecutorService threads = Executors.newCachedThreadPool(GatewayCost::daemon);

    private GatewayCost(StreamedModel model, RlmUnderLoad gateway, int streams) {
        this.model = model;
        this.gateway = gateway;
        this.streams = streams;
    }

    /** Takes how many streams, calls of each in a block, and milliseconds between tokens. */
    public static void main(String[] args) throws Exception {
        try (TemporaryFolder folder = TemporaryFolder.create("gateway");
                StreamedModel model = new StreamedModel();
                RlmUnderLoad gateway = gateway(folder.path(), model.port())) {
            GatewayCost cost = new GatewayCost(model, gateway, Integer.parseInt(args[0]));
            Map<String, Double> values = new HashMap<>(cost.rates());
            model.gap(Long.parseLong(args[2]));
            values.putAll(cost.added(Integer.parseInt(args[1])));
            model.gap(0);
            values.put(MEMORY, cost.memory());
            cost.threads.shutdownNow();
            new Sample(values).print();
        }
    }

    /** Starts the gateway before a model on this machine. */
    static RlmUnderLoad gateway(Path journal, int model) throws IOException {
        return new RlmUnderLoad(
                journal, "gateway", "--max-calls", "1024", "--upstream", "http://127.0.0.1:" + model + "/v1");
    }

    private static Thread daemon(Runnable task) {
        Thread thread = new Thread(task, "client");
        thread.setDaemon(true);
        return thread;
    }

    private Map<String, Double> rates() throws Exception {
        block(false, AT_A_TIME, WARM_UP / AT_A_TIME);
        block(true, AT_A_TIME, WARM_UP / AT_A_TIME);
        long start = System.nanoTime();
        int calls = block(true, AT_A_TIME, WARM_UP / AT_A_TIME).size();
        return Map.of(RATE, calls * SECOND / (System.nanoTime() - start));
    }

    private Map<String, Double> added(int calls) throws Exception {
        Map<String, double[]> pairs = new HashMap<>();
        for (int i = 0; i < PAIRS; i++) {
            boolean first = i % 2 == 1;
            List<Reply> one = block(first, streams, calls);
            List<Reply> other = block(!first, streams, calls);
            List<Reply> forwarded = first ? one : other;
            List<Reply> direct = first ? other : one;
            add(pairs, i, FIRST_P50, difference(forwarded, direct, Reply::firstNanos, 0.5));
            add(pairs, i, FIRST_P99, difference(forwarded, direct, Reply::firstNanos, HIGH));
            add(pairs, i, WHOLE_P50, difference(forwarded, direct, Reply::wholeNanos, 0.5));
            add(pairs, i, WHOLE_P99, difference(forwarded, direct, Reply::wholeNanos, HIGH));
        }
        Map<String, Double> medians = new HashMap<>();
        pairs.forEach((name, values) -> medians.put(name, Median.of(values).value()));
        return medians;
    }

    private static void add(Map<String, double[]> pairs, int pair, String name, double value) {
        pairs.computeIfAbsent(name, any -> new double[PAIRS])[pair] = value;
    }

    private static double difference(
            List<Reply> forwarded, List<Reply> direct, ToLongFunction<Reply> time, double share) {
        return (percentile(forwarded, time, share) - percentile(direct, time, share)) / MILLISECOND;
    }

    private static long percentile(List<Reply> replies, ToLongFunction<Reply> time, double share) {
        long[] times = replies.stream().mapToLong(time).sorted().toArray();
        return times[(int) Math.min(times.length - 1, share * times.length)];
    }

    /** Has so many connections make so many calls each, at once. */
    private List<Reply> block(boolean forwarded, int connections, int calls) throws Exception {
        List<Future<List<Reply>>> all = new ArrayList<>();
        for (int i = 0; i < connections; i++) {
            int number = i;
            all.add(threads.submit(() -> {
                try (StreamClient client = client(forwarded, number)) {
                    List<Reply> replies = new ArrayList<>();
                    for (int call = 0; call < calls; call++) {
                        replies.add(client.ask());
                    }
                    return replies;
                }
            }));
        }
        List<Reply> replies = new ArrayList<>();
        for (Future<List<Reply>> each : all) {
            replies.addAll(each.get());
        }
        return replies;
    }

    private StreamClient client(boolean forwarded, int number) throws IOException {
        return forwarded
                ? new StreamClient(gateway.port(), PATH.formatted(number))
                : new StreamClient(model.port(), "/v1");
    }

    /** Returns what a stream takes that has come but for its end, by as many as there are. */
    private double memory() throws Exception {
        long before = gateway.memory();
        CountDownLatch goOn = model.hold();
        CountDownLatch started = new CountDownLatch(streams);
        List<Future<Reply>> replies = IntStream.range(0, streams)
                .mapToObj(number -> threads.submit(() -> {
                    try (StreamClient client = client(true, number)) {
                        return client.ask(started::countDown);
                    }
                }))
                .toList();
        started.await();
        long during = gateway.memory();
        goOn.countDown();
        for (Future<Reply> reply : replies) {
            if (reply.get().id().isEmpty()) {
                throw new FigureException("a reply without an id");
            }
        }
        return (double) (during - before) / streams;
    }
}
