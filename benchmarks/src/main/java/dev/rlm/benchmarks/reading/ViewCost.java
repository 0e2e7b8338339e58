package dev.rlm.benchmarks.reading;

import dev.rlm.benchmarks.RlmUnderLoad;
import dev.rlm.benchmarks.TemporaryFolder;
import dev.rlm.cli.launcher.Main;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.jsonl.JsonlSink;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The command that measures what {@code rlm view} takes of time and memory with a large journal. */
@Command(
        name = "view-cost",
        description = "Measures how long rlm view takes to start, answer, search, tell of changes and write a file.",
        mixinStandardHelpOptions = true)
public final class ViewCost implements Callable<Integer> {
    private static final int STEPS_A_RUN = 20;
    private static final double MILLISECOND = 1e6;
    private static final double MIB = 1 << 20;
    private static final int FILE_RUNS = 200;
    private static final int CHANGES = 30;
    private static final int SETTLED_MILLIS = 3_000; // of a file, from when on its index is kept
    private static final String RUN_ID = "\"run_id\":\"";

    @Spec
    @SuppressWarnings("NullAway.Init") // set before call()
    private CommandSpec spec;

    @Option(names = "--runs", paramLabel = "N", description = "Runs of the journal, of 20 steps (${DEFAULT-VALUE}).")
    private int runs = 50_000;

    @Option(names = "--questions", paramLabel = "N", description = "Random filters and orders (${DEFAULT-VALUE}).")
    private int questions = 200;

    @Option(names = "--heap", paramLabel = "SIZE", description = "Of rlm view (${DEFAULT-VALUE}).")
    private String heap = "256m";

    private ViewCost() {}

    @Override
    public Integer call() throws Exception {
        Path journal = Journals.of(runs * STEPS_A_RUN);
        try (TemporaryFolder index = TemporaryFolder.create("index");
                TemporaryFolder file = TemporaryFolder.create("file")) {
            double size = size(journal);
            Thread.sleep(SETTLED_MILLIS);
            say("journal", "%.0f MiB, %,d runs", size / MIB, runs);
            try (View first = new View(journal, index.path())) {
                say("first rows without an index", "%.0f ms from the start of the process", first.firstRows());
            }
            say("index", "%.2f %% of the journal", 100 * size(index.path()) / size);
            try (View view = new View(journal, index.path())) {
                say("first rows with an index", "%.0f ms from the start of the process", view.firstRows());
                ask(view);
                say("the same question again", "%.1f ms", view.millis("/api/list?limit=100"));
                String[] ids = view.ids();
                say("two runs side by side", "%.0f ms", view.millis("/api/diff/" + ids[0] + "/" + ids[1]));
                say("text that is nowhere", "%.0f ms", view.millis("/api/search/no_such_text_at_all?limit=100"));
                say(
                        "text that is often there",
                        "%.0f ms to 100 hits",
                        view.millis("/api/search/observation?limit=100"));
                say("resident at most", "%d MB with a heap of %s", view.resident(), heap);
                say("file of " + FILE_RUNS + " runs", "%s", write(journal, index.path(), file.path()));
            }
        }
        changes();
        return 0;
    }

    private void say(String what, String format, Object... figures) {
        PrintWriter out = spec.commandLine().getOut();
        out.println(what + ": " + String.format(Locale.ROOT, format, figures));
        out.flush();
    }

    private static double size(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(Files::isRegularFile)
                    .mapToLong(file -> file.toFile().length())
                    .sum();
        }
    }

    /** Asks for runs by filters and orders of which no two are alike, as far as that goes. */
    private void ask(View view) throws Exception {
        SplittableRandom random = new SplittableRandom(7);
        List<String> orders = List.of("reward", "-reward", "duration", "-duration", "steps", "sample", "-started");
        double[] times = new double[questions];
        for (int i = 0; i < questions; i++) {
            double low = random.nextInt(100) / 10.0;
            times[i] = view.millis("/api/list?limit=100&sort=" + orders.get(random.nextInt(orders.size())) + "&env=env-"
                    + random.nextInt(3) + (random.nextBoolean() ? "&model=model-" + random.nextInt(2) : "") + "&reward="
                    + low + ".." + (low + 1 + i / 1e4));
        }
        Arrays.sort(times);
        say(
                questions + " filters and orders",
                "p50 %.0f ms, p95 %.0f ms",
                times[questions / 2],
                times[(int) (0.95 * questions)]);
    }

    private String write(Path journal, Path index, Path folder) throws Exception {
        Path file = folder.resolve("runs.html");
        long start = System.nanoTime();
        Process process = rlm(
                        journal,
                        "view",
                        "--output",
                        file.toString(),
                        "--limit",
                        "" + FILE_RUNS,
                        "--index",
                        index.toString())
                .inheritIO()
                .start();
        int code = process.waitFor();
        return code != 0
                ? "exit code " + code
                : String.format(
                        Locale.ROOT, "%.2f MiB in %.1f s", Files.size(file) / MIB, (System.nanoTime() - start) / 1e9);
    }

    /** Measures how long it takes from the end of a run in this process until a page is told, of a journal with little else. */
    private void changes() throws Exception {
        double[] times = new double[CHANGES];
        try (TemporaryFolder folder = TemporaryFolder.create("changes");
                Sinks sinks = Sinks.builder()
                        .add(
                                "jsonl",
                                JsonlSink.builder().directory(folder.path()).build())
                        .build()) {
            record(sinks);
            try (View view = new View(folder.path(), Path.of("none"));
                    BufferedReader events = view.changes()) {
                view.firstRows();
                awaitEvent(events);
                SplittableRandom random = new SplittableRandom(3);
                for (int i = 0; i < CHANGES; i++) {
                    Thread.sleep(300 + random.nextInt(300));
                    long start = System.nanoTime();
                    record(sinks);
                    awaitEvent(events);
                    times[i] = (System.nanoTime() - start) / MILLISECOND;
                }
            }
        }
        Arrays.sort(times);
        say(
                "a run that ends, told to a page",
                "p50 %.0f ms, p95 %.0f ms",
                times[CHANGES / 2],
                times[(int) (0.95 * CHANGES)]);
    }

    private static void record(Sinks sinks) {
        try (Run run = sinks.startRun(RunSpec.builder("changes").build())) {
            run.complete("done");
        }
        sinks.flush(Duration.ofSeconds(10));
    }

    private static void awaitEvent(BufferedReader events) throws IOException {
        String line = events.readLine();
        while (line != null && !line.startsWith("data:")) {
            line = events.readLine();
        }
    }

    private ProcessBuilder rlm(Path journal, String... arguments) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx" + heap,
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().keySet().removeIf(name -> name.startsWith("RLM_") || name.startsWith("OTEL_"));
        builder.environment().put("RLM_JSONL_DIR", journal.toString());
        builder.environment().put("RLM_VIEW_TOKEN", View.TOKEN);
        return builder;
    }

    /** {@code rlm view} in a process of its own. */
    private final class View implements AutoCloseable {
        private static final String TOKEN = "token-of-the-benchmark";
        private static final Pattern LINK = Pattern.compile("(http://127\\.0\\.0\\.1:\\d+)/");

        private final long start = System.nanoTime();
        private final HttpClient client = HttpClient.newHttpClient();
        private final Process process;
        private final String url;

        View(Path journal, Path index) throws IOException {
            process = rlm(journal, "view", "--no-open", "--port", "0", "--index", index.toString())
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            Matcher link = LINK.matcher(
                    String.valueOf(process.inputReader(StandardCharsets.UTF_8).readLine()));
            if (!link.find()) {
                throw new IllegalStateException("rlm view does not start");
            }
            url = link.group(1);
        }

        private HttpRequest request(String path) {
            return HttpRequest.newBuilder(URI.create(url + path))
                    .header("Authorization", "Bearer " + TOKEN)
                    .build();
        }

        private String get(String path) throws IOException, InterruptedException {
            HttpResponse<String> answer = client.send(request(path), HttpResponse.BodyHandlers.ofString());
            if (answer.statusCode() != 200) {
                throw new IllegalStateException(path + ": " + answer.body());
            }
            return answer.body();
        }

        /** Returns how long it took from the start of the process to the first hundred runs. */
        double firstRows() throws IOException, InterruptedException {
            get("/api/list?limit=100");
            return (System.nanoTime() - start) / MILLISECOND;
        }

        double millis(String path) throws IOException, InterruptedException {
            long asked = System.nanoTime();
            get(path);
            return (System.nanoTime() - asked) / MILLISECOND;
        }

        /** Returns the ids of two runs. */
        String[] ids() throws IOException, InterruptedException {
            return get("/api/list?limit=2")
                    .lines()
                    .map(line -> line.substring(line.indexOf(RUN_ID) + RUN_ID.length()))
                    .map(line -> line.substring(0, line.indexOf('"')))
                    .toArray(String[]::new);
        }

        BufferedReader changes() throws IOException, InterruptedException {
            return new BufferedReader(new InputStreamReader(
                    client.send(request("/api/changes"), HttpResponse.BodyHandlers.ofInputStream())
                            .body(),
                    StandardCharsets.UTF_8));
        }

        /** Returns the most that was ever resident, in MB. */
        long resident() throws IOException {
            return RlmUnderLoad.mostResident(process) >> 10;
        }

        @Override
        public void close() {
            process.destroyForcibly();
        }
    }
}
