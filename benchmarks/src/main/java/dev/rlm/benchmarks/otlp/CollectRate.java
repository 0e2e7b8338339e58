package dev.rlm.benchmarks.otlp;

import dev.rlm.benchmarks.RlmUnderLoad;
import dev.rlm.benchmarks.TemporaryFolder;
import dev.rlm.benchmarks.figure.FigureException;
import dev.rlm.benchmarks.figure.Sample;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Rate of spans that are acknowledged to senders that each wait for the answer before they send the next, and the time that an
 * answer takes: by {@code rlm collect}, which answers when they are synced, or by a receiver that only counts them.
 */
final class CollectRate {
    static final String RATE = "spans/s";
    static final String P50 = "ms to the answer, p50";
    static final String P99 = "ms to the answer, p99";

    private static final double SECOND = 1e9;
    private static final double MILLISECOND = 1e6;
    private static final double HIGH = 0.99;

    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final AtomicLong traces = new AtomicLong();
    private final URI url;
    private final int spans;

    private CollectRate(String endpoint, int spans) {
        this.url = URI.create(endpoint + "/v1/traces");
        this.spans = spans;
    }

    /** Takes which of both, how many senders, spans of a request, and milliseconds to warm up and to measure. */
    public static void main(String[] args) throws Exception {
        int senders = Integer.parseInt(args[1]);
        int spans = Integer.parseInt(args[2]);
        long warmUp = Long.parseLong(args[3]);
        long measured = Long.parseLong(args[4]);
        if (args[0].equals("collect")) {
            try (TemporaryFolder folder = TemporaryFolder.create("collect");
                    RlmUnderLoad collect = new RlmUnderLoad(folder.path(), "collect", "--quiet-time", "1s")) {
                measure("http://127.0.0.1:" + collect.port(), senders, spans, warmUp, measured)
                        .print();
                collect.kill();
            }
        } else {
            try (CountingReceiver receiver = new CountingReceiver()) {
                measure(receiver.endpoint(Way.PROTOCOL), senders, spans, warmUp, measured)
                        .print();
            }
        }
        System.exit(0); // the client's threads
    }

    private static Sample measure(String endpoint, int senders, int spans, long warmUp, long measured)
            throws Exception {
        CollectRate rate = new CollectRate(endpoint, spans);
        var unused = rate.send(senders, warmUp);
        long start = System.nanoTime();
        long[] times = rate.send(senders, measured);
        long took = System.nanoTime() - start;
        Arrays.sort(times);
        return new Sample(Map.of(
                RATE,
                (double) times.length * spans / took * SECOND,
                P50,
                times[times.length / 2] / MILLISECOND,
                P99,
                times[(int) (HIGH * times.length)] / MILLISECOND));
    }

    /** Has them send for so long, and returns the time of each request. */
    private long[] send(int senders, long millis) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(senders);
        try {
            List<Future<List<Long>>> all = new ArrayList<>();
            long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
            for (int i = 0; i < senders; i++) {
                all.add(threads.submit(() -> {
                    List<Long> times = new ArrayList<>();
                    while (System.nanoTime() - end < 0) {
                        times.add(send());
                    }
                    return times;
                }));
            }
            List<Long> times = new ArrayList<>();
            for (Future<List<Long>> each : all) {
                times.addAll(each.get());
            }
            return times.stream().mapToLong(Long::longValue).toArray();
        } finally {
            threads.shutdownNow();
        }
    }

    private long send() throws Exception {
        HttpRequest request = HttpRequest.newBuilder(url)
                .header("Content-Type", "application/x-protobuf")
                .POST(HttpRequest.BodyPublishers.ofByteArray(SpanBatch.request(traces.incrementAndGet(), spans)))
                .build();
        long start = System.nanoTime();
        HttpResponse<byte[]> response = client.send(request, HttpResponse.BodyHandlers.ofByteArray());
        if (response.statusCode() != 200) {
            throw new FigureException("an answer of " + response.statusCode());
        }
        return System.nanoTime() - start;
    }
}
