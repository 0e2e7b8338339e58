package dev.rlm.benchmarks.otlp;

import dev.rlm.benchmarks.RlmUnderLoad;
import dev.rlm.benchmarks.TemporaryFolder;
import java.io.PrintWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * The command that offers {@code rlm collect} more than it may be able to take: many writers with a request a second each, sent on
 * time whether others have been answered or not. A writer whose last request is not answered yet keeps its spans back.
 */
@Command(
        name = "collect-load",
        description =
                "Offers rlm collect the spans of many writers, and says how many were taken, and how many refused.",
        mixinStandardHelpOptions = true)
public final class CollectLoad implements Callable<Integer> {
    private static final double MILLISECOND = 1e6;
    private static final double HIGH = 0.99;
    private static final long SECOND_MICROS = 1_000_000;
    private static final long KB = 1_024;

    @Spec
    @SuppressWarnings("NullAway.Init") // set before call()
    private CommandSpec spec;

    @Option(names = "--writers", paramLabel = "N", description = "How many (${DEFAULT-VALUE}).")
    private int writers = 1_000;

    @Option(names = "--rate", paramLabel = "N", description = "Spans of each in a second (${DEFAULT-VALUE}).")
    private int rate = 100;

    @Option(names = "--seconds", paramLabel = "N", description = "How long (${DEFAULT-VALUE}).")
    private int seconds = 30;

    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final Map<String, AtomicLong> spans = new ConcurrentHashMap<>(); // by what became of them
    private final ConcurrentLinkedQueue<Long> times = new ConcurrentLinkedQueue<>();
    private final Map<Integer, CompletableFuture<?>> under = new ConcurrentHashMap<>();
    private final AtomicLong traces = new AtomicLong();

    private CollectLoad() {}

    @Override
    public Integer call() throws Exception {
        try (TemporaryFolder folder = TemporaryFolder.create("load");
                RlmUnderLoad collect = new RlmUnderLoad(folder.path(), "collect", "--quiet-time", "1s")) {
            URI url = URI.create("http://127.0.0.1:" + collect.port() + "/v1/traces");
            ScheduledExecutorService clock = Executors.newScheduledThreadPool(2);
            for (int i = 0; i < writers; i++) {
                int writer = i;
                var unused = clock.scheduleAtFixedRate(
                        () -> send(url, writer), i * SECOND_MICROS / writers, SECOND_MICROS, TimeUnit.MICROSECONDS);
            }
            TimeUnit.SECONDS.sleep(seconds);
            clock.shutdownNow();
            clock.awaitTermination(1, TimeUnit.MINUTES);
            CompletableFuture.allOf(under.values().toArray(CompletableFuture[]::new))
                    .get(2, TimeUnit.MINUTES);
            long resident = collect.mostResident();
            report(resident, collect.stop());
        }
        return 0;
    }

    private void send(URI url, int writer) {
        CompletableFuture<?> last = under.get(writer);
        if (last != null && !last.isDone()) {
            count("kept back");
            return;
        }
        HttpRequest request = HttpRequest.newBuilder(url)
                .header("Content-Type", "application/x-protobuf")
                .POST(HttpRequest.BodyPublishers.ofByteArray(SpanBatch.request(traces.incrementAndGet(), rate)))
                .build();
        long start = System.nanoTime();
        under.put(
                writer,
                client.sendAsync(request, HttpResponse.BodyHandlers.discarding())
                        .handle((response, problem) -> answered(response, problem, System.nanoTime() - start)));
    }

    private boolean answered(@Nullable HttpResponse<Void> response, @Nullable Throwable problem, long nanos) {
        if (response == null) {
            count(String.valueOf(problem));
        } else if (response.statusCode() == 200) {
            count("taken");
            times.add(nanos);
        } else {
            count("refused with " + response.statusCode());
        }
        return true;
    }

    private void count(String what) {
        spans.computeIfAbsent(what, any -> new AtomicLong()).addAndGet(rate);
    }

    private void report(long resident, String said) {
        PrintWriter out = spec.commandLine().getOut();
        out.println(writers + " writers, " + (long) writers * rate + " spans/s offered for " + seconds + " s");
        new TreeMap<>(spans)
                .forEach((what, count) -> out.println(what + ": " + count + " spans, " + count.get() / seconds + "/s"));
        long[] all = times.stream().mapToLong(Long::longValue).sorted().toArray();
        if (all.length > 0) {
            out.println(String.format(
                    Locale.ROOT,
                    "ms to the answer: p50 %.1f, p99 %.1f",
                    all[all.length / 2] / MILLISECOND,
                    all[(int) (HIGH * all.length)] / MILLISECOND));
        }
        out.println("at most resident: " + resident / KB + " MB");
        out.println("rlm collect: " + said);
    }
}
