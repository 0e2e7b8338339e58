package dev.rlm.sinks.otel;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.rlm.sinks.Evaluation;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Scope;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Span;
import dev.rlm.sinks.Step;
import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.AutoConfiguredOpenTelemetrySdk;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/**
 * A program in a JVM of its own, that calls a server from within a run, its step, and work in that; its calls are
 * instrumented, by the Java agent or by an OpenTelemetry of its own.
 */
final class InstrumentedProgram {
    /** The calls of the server, by path, and the span in which each is made. */
    static final Map<String, String> CALLS = Map.of(
            "/run",
            "rlm.run",
            "/step",
            "rlm.step",
            "/plan",
            "plan",
            "/rank",
            "rank",
            "/judge",
            "rlm.reward",
            "/task",
            "rlm.step");

    /** The spans that the sink makes, and the parent of each. */
    static final Map<String, String> SPANS = Map.of(
            "rlm.run.started",
            "rlm.run",
            "rlm.step",
            "rlm.run",
            "plan",
            "rlm.step",
            "rank",
            "plan",
            "rlm.reward",
            "rlm.step");

    private static final Set<String> OTHERS = Set.of("JAVA_TOOL_OPTIONS", "TRACEPARENT", "TRACESTATE", "BAGGAGE");

    private final String server;
    private final @Nullable Tracer tracer;
    private final HttpClient client = HttpClient.newHttpClient();

    private InstrumentedProgram(String server, @Nullable Tracer tracer) {
        this.server = server;
        this.tracer = tracer;
    }

    /** Where its OpenTelemetry comes from. */
    enum Telemetry {
        /** Somebody else instruments its calls. */
        NONE,
        /** One that it sets as the global one. */
        GLOBAL,
        /** One that it keeps to itself. */
        PRIVATE
    }

    /** Runs it to its end, which is to be a good one; what it said. */
    static String run(
            Path java, List<String> options, Map<String, String> variables, Telemetry telemetry, String server)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(java.toString(), "-XX:TieredStopAtLevel=1")); // short-lived
        command.addAll(options);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), InstrumentedProgram.class.getName()));
        command.addAll(List.of(server, telemetry.name()));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment()
                .keySet()
                .removeIf(name -> name.startsWith("RLM_") || name.startsWith("OTEL_") || OTHERS.contains(name));
        builder.environment().putAll(Map.of("RLM_OTEL_ENABLED", "true", "RLM_JSONL_ENABLED", "false"));
        builder.environment().putAll(variables);
        Process process = builder.start();
        try {
            String said = new String(process.getInputStream().readAllBytes(), UTF_8);
            if (process.waitFor() != 0) {
                throw new AssertionError(said);
            }
            return said;
        } finally {
            process.destroyForcibly();
        }
    }

    public static void main(String[] arguments) throws Exception {
        Telemetry telemetry = Telemetry.valueOf(arguments[1]);
        try (OpenTelemetrySdk sdk = telemetry == Telemetry.NONE ? null : sdk(telemetry == Telemetry.GLOBAL)) {
            new InstrumentedProgram(arguments[0], sdk == null ? null : sdk.getTracer("program")).run();
        }
        System.out.println("global: " + GlobalOpenTelemetry.isSet());
    }

    private static OpenTelemetrySdk sdk(boolean global) {
        var builder = AutoConfiguredOpenTelemetrySdk.builder();
        return (global ? builder.setResultAsGlobal() : builder).build().getOpenTelemetrySdk();
    }

    private void run() throws Exception {
        try (Sinks sinks = Sinks.fromEnvironment();
                Run run = sinks.startRun(RunSpec.builder("calc").runId("r").build())) {
            System.out.println("sink: " + sinks.statuses().get(0).detail());
            within(run.makeCurrent(), "/run");
            try (Step step = run.startStep()) {
                within(step.makeCurrent(), "/step");
                work(step);
                try (Scope scope = step.makeCurrent()) {
                    query();
                    onAnotherThread();
                }
                step.complete("");
            }
            run.complete("");
        }
    }

    private void work(Step step) throws Exception {
        try (Span plan = step.span("plan");
                Span rank = plan.span("rank")) {
            within(rank.makeCurrent(), "/rank");
            within(plan.makeCurrent(), "/plan");
        }
        try (Evaluation judge = step.startEvaluation("judge")) {
            within(judge.makeCurrent(), "/judge");
            judge.reward(1);
        }
    }

    private void onAnotherThread() throws Exception {
        ExecutorService threads = threads();
        try {
            String thread = Scope.wrap(threads)
                    .submit(() -> {
                        call("/task");
                        return Thread.currentThread().getClass().getSimpleName();
                    })
                    .get();
            System.out.println("thread: " + thread);
        } finally {
            threads.shutdown();
        }
    }

    /** Virtual ones where this Java has them. */
    private static ExecutorService threads() {
        try {
            return (ExecutorService)
                    Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
        } catch (ReflectiveOperationException e) {
            return Executors.newCachedThreadPool();
        }
    }

    private void within(Scope scope, String path) throws Exception {
        try (scope) {
            call(path);
        }
    }

    private void call(String path) throws Exception {
        if (tracer == null) {
            get(path);
            return;
        }
        var span = tracer.spanBuilder("GET")
                .setSpanKind(SpanKind.CLIENT)
                .setAttribute("url.full", server + path)
                .startSpan();
        try (var scope = span.makeCurrent()) {
            get(path);
        } finally {
            span.end();
        }
    }

    private void get(String path) throws Exception {
        client.send(HttpRequest.newBuilder(URI.create(server + path)).build(), HttpResponse.BodyHandlers.discarding());
    }

    private static void query() throws Exception {
        try (Connection connection = DriverManager.getConnection("jdbc:h2:mem:data");
                Statement statement = connection.createStatement()) {
            statement.execute("select 1");
        }
    }
}
