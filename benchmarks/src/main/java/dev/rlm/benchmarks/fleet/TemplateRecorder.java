package dev.rlm.benchmarks.fleet;

import dev.rlm.benchmarks.fleet.EventTemplate.TemplateRun;
import dev.rlm.benchmarks.redaction.VariedTexts;
import dev.rlm.sinks.ModelCall;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Scope;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.ToolCall;
import dev.rlm.sinks.event.Usage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/**
 * Records runners with a hub and a record sink each, at their pace, and keeps what their sinks send. A step has a call of
 * a model, a call of a tool, a reward, and four texts.
 *
 * @param runs of each runner, one after the other
 * @param steps of a run
 * @param rate steps of a runner in a second
 * @param failing one run of so many fails
 * @param texts that steps take in turn
 */
record TemplateRecorder(int runs, int steps, double rate, int failing, List<String> texts) {
    private static final Duration CLOSE = Duration.ofSeconds(10);
    private static final int WARM_UP_RUNS = 50;
    private static final int WARM_UP_RATE = 400;
    private static final long RAMP_NANOS = TimeUnit.MILLISECONDS.toNanos(150);
    private static final int SHORTEST = 20; // characters of a text that counts
    private static final int BUILT_IN = 1_008; // texts

    /** Returns the texts of a file of JSON lines, or those that are built in. */
    static List<String> texts(@Nullable Path file) throws IOException {
        List<String> texts = new ArrayList<>();
        if (file == null) {
            for (int i = 0; i < BUILT_IN; i++) {
                texts.add(VariedTexts.code(i));
            }
            return texts;
        }
        try (JsonParser parser = new JsonFactory().createParser(ObjectReadContext.empty(), Files.readString(file))) {
            for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
                if (token == JsonToken.VALUE_STRING && parser.getString().length() >= SHORTEST) {
                    texts.add(parser.getString());
                }
            }
        }
        return texts;
    }

    /** Records so many runners at a time, once the code is compiled. */
    List<EventTemplate> record(int runners) throws Exception {
        new TemplateRecorder(WARM_UP_RUNS, steps, WARM_UP_RATE, failing, texts).recordNow(2);
        return recordNow(runners);
    }

    private List<EventTemplate> recordNow(int runners) throws Exception {
        AtomicInteger runNumbers = new AtomicInteger();
        ExecutorService threads = Executors.newFixedThreadPool(runners);
        try {
            List<Callable<EventTemplate>> work = new ArrayList<>();
            for (int i = 0; i < runners; i++) {
                long start = System.nanoTime() + i * RAMP_NANOS;
                work.add(() -> {
                    LockSupport.parkNanos(start - System.nanoTime());
                    return record(runNumbers);
                });
            }
            List<EventTemplate> templates = new ArrayList<>();
            for (Future<EventTemplate> each : threads.invokeAll(work)) {
                templates.add(each.get());
            }
            return templates;
        } finally {
            threads.shutdownNow();
        }
    }

    private EventTemplate record(AtomicInteger runNumbers) throws IOException {
        ConcurrentLinkedQueue<Receiver.Received> received = new ConcurrentLinkedQueue<>();
        List<TemplateRun> recorded = new ArrayList<>();
        long start = System.nanoTime();
        long due = start;
        try (Receiver receiver = new Receiver(received::add)) {
            Map<String, String> variables = new HashMap<>();
            variables.put("RLM_JSONL_ENABLED", "false");
            variables.put("RLM_RECORD_ENABLED", "true");
            variables.put("RLM_RECORD_URL", receiver.endpoint());
            Sinks hub = Sinks.builder().config(SinkConfig.of(variables)).build();
            try {
                for (int i = 0; i < runs; i++) {
                    int number = runNumbers.getAndIncrement();
                    boolean failed = number % failing == 0;
                    recorded.add(new TemplateRun(run(hub, number, failed, due), failed));
                    due += stepNanos() * steps;
                }
                if (!hub.flush(CLOSE).isComplete()) {
                    throw new IllegalStateException("a template is not whole: " + hub.statuses());
                }
            } finally {
                hub.close(CLOSE);
            }
        }
        List<Receiver.Received> requests = received.stream()
                .filter(each -> each.body().length > 0)
                .map(each -> new Receiver.Received(each.at() - start, each.path(), each.body()))
                .toList();
        return EventTemplate.of(due - start, recorded, requests);
    }

    private long stepNanos() {
        return (long) (TimeUnit.SECONDS.toNanos(1) / rate);
    }

    private String run(Sinks hub, int number, boolean failed, long start) {
        int text = number * (1 + 4 * steps);
        RunSpec spec = RunSpec.builder("fleet")
                .task(text(text++))
                .model("a-model")
                .maxSteps(steps)
                .build();
        try (Run run = hub.startRun(spec);
                Scope ignored = run.makeCurrent()) {
            for (int i = 1; i <= steps; i++) {
                try (Step step = run.startStep(text(text));
                        Scope current = step.makeCurrent()) {
                    try (ModelCall call = step.startModelCall("provider", "a-model")) {
                        call.message("user", text(text++)).reply(text(text++));
                        call.usage(new Usage(900L, 150L, null, null)).finishReason("stop");
                    }
                    LockSupport.parkNanos(start + stepNanos() * i - System.nanoTime());
                    step.action("run_python", text(text));
                    try (ToolCall call = step.startToolCall("run_python")) {
                        call.arguments(text(text++)).result(text(text));
                    }
                    step.reward(1.0 / steps);
                    step.complete(text(text++));
                }
            }
            if (failed) {
                run.fail(new IllegalStateException("the environment does not answer"));
            } else {
                run.complete(text(text));
            }
        }
        return spec.runId();
    }

    private String text(int number) {
        return texts.get(number % texts.size());
    }
}
