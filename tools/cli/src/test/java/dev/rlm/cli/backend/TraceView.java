package dev.rlm.cli.backend;

import dev.rlm.sinks.otel.backend.Backend;
import dev.rlm.sinks.otel.backend.JaegerServer;
import dev.rlm.sinks.otel.backend.MlflowServer;
import dev.rlm.sinks.otel.backend.MlflowTrace;
import dev.rlm.sinks.otel.backend.TempoServer;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * A real back end of traces, as a person sees it.
 *
 * @param variables which a program needs to send there
 * @param found the traces that its own search finds by a run's id
 * @param spans of a trace, as they are shown; none where it is not known
 */
record TraceView(
        Backend server,
        Map<String, String> variables,
        Function<String, List<Found>> found,
        Function<String, List<Span>> spans)
        implements AutoCloseable {

    /**
     * A trace that a search has found.
     *
     * @param state in the back end's own words
     */
    record Found(String traceId, String state) {}

    /** A span of a trace. */
    record Span(String id, String parentId, String name, boolean isError) {}

    /** Which there are. */
    enum Kind {
        JAEGER,
        TEMPO,
        MLFLOW;

        TraceView start() throws IOException {
            return switch (this) {
                case JAEGER -> jaeger(JaegerServer.start());
                case TEMPO -> tempo(TempoServer.start());
                case MLFLOW -> mlflow(MlflowServer.start());
            };
        }
    }

    Optional<Span> span(String traceId, String name) {
        return spans.apply(traceId).stream()
                .filter(span -> span.name().equals(name))
                .findFirst();
    }

    @Override
    public void close() {
        server.close();
    }

    private static TraceView jaeger(JaegerServer jaeger) {
        return new TraceView(
                jaeger,
                traces("grpc", jaeger.grpcEndpoint()),
                run -> jaeger.tracesWith("rlm", "rlm.run_id", run, 10).stream()
                        .map(trace -> new Found(trace.traceId(), String.join(", ", trace.warnings())))
                        .toList(),
                id -> jaeger.trace(id).stream()
                        .flatMap(trace -> trace.spans().stream())
                        .map(span -> new Span(
                                span.spanId(),
                                span.parentId(),
                                span.name(),
                                "ERROR".equals(span.tags().get("otel.status_code"))))
                        .toList());
    }

    private static TraceView tempo(TempoServer tempo) {
        return new TraceView(
                tempo,
                traces("grpc", tempo.grpcEndpoint()),
                run -> tempo.search("{ span.rlm.run_id = \"" + run + "\" }", 10).stream()
                        .map(trace -> new Found(trace.traceId(), trace.rootName()))
                        .toList(),
                id -> tempo.trace(id).stream()
                        .map(span -> new Span(
                                span.spanId(),
                                span.parentId(),
                                span.name(),
                                span.status().equals("ERROR")))
                        .toList());
    }

    private static TraceView mlflow(MlflowServer mlflow) {
        String experiment = mlflow.createExperiment("runs");
        Map<String, String> variables = Map.of(
                "RLM_OTEL_ENABLED", "true",
                "RLM_OTEL_METRICS_ENABLED", "false",
                "OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf",
                "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", mlflow.tracesEndpoint(),
                "OTEL_EXPORTER_OTLP_HEADERS", MlflowServer.header(experiment));
        Supplier<List<MlflowTrace>> all = () -> mlflow.traces(experiment);
        return new TraceView(
                mlflow,
                variables,
                run -> all.get().stream()
                        .filter(trace -> trace.traceId().equals(JournalFigures.traceId(run)))
                        .map(trace -> new Found(trace.traceId(), trace.state()))
                        .toList(),
                id -> all.get().stream().anyMatch(trace -> trace.traceId().equals(id))
                        ? mlflow.spans(id).stream()
                                .map(span -> new Span(
                                        span.spanId(),
                                        span.parentId(),
                                        span.name(),
                                        span.status().equals("ERROR")))
                                .toList()
                        : List.of());
    }

    private static Map<String, String> traces(String protocol, String endpoint) {
        return Map.of(
                "RLM_OTEL_ENABLED",
                "true",
                "RLM_OTEL_METRICS_ENABLED",
                "false",
                "OTEL_EXPORTER_OTLP_PROTOCOL",
                protocol,
                "OTEL_EXPORTER_OTLP_ENDPOINT",
                endpoint);
    }
}
