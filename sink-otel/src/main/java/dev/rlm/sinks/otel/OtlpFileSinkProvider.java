package dev.rlm.sinks.otel;

import dev.rlm.sinks.Sink;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkConfigException;
import dev.rlm.sinks.SinkProvider;
import dev.rlm.sinks.otel.files.FileSpanExporter;
import dev.rlm.sinks.otel.files.JsonLinesExporter;
import dev.rlm.sinks.otel.files.SharedLinesFile;
import dev.rlm.sinks.otel.mapping.GenAiVersions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * Makes the sink {@code otlp-file}, which appends the spans of the sink {@code otel} to a file as lines of OTLP's JSON. Settings of
 * spans that are not given for it are those of the sink {@code otel}; none of sending holds.
 */
public final class OtlpFileSinkProvider implements SinkProvider {
    private static final String NAME = "otlp-file";
    private static final String PATH = "traces.jsonl";
    private static final long MIN_ROTATE_SIZE = 100_000;

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public String description() {
        return "spans in a file of OTLP's JSON, a request a line";
    }

    @Override
    public List<Variable> variables() {
        return List.of(
                new Variable("RLM_OTLP_FILE_PATH", PATH, "the file to which spans are appended"),
                new Variable(
                        "RLM_OTLP_FILE_ROTATE_SIZE",
                        "64MB",
                        "size at which the next file is begun, at least 100KB; 0 for never"),
                new Variable("RLM_OTLP_FILE_KEEP_FILES", "10", "how many full files are kept"),
                new Variable(
                        "RLM_OTLP_FILE_GENAI_SPANS",
                        "that of RLM_OTEL_GENAI_SPANS",
                        "whether model and tool calls are spans"),
                new Variable(
                        "RLM_OTLP_FILE_SEMCONV",
                        "that of RLM_OTEL_SEMCONV",
                        "versions of the GenAI conventions: 1.36, 1.41, latest, or several"),
                new Variable(
                        "RLM_OTLP_FILE_SPAN_NAMES", "that of RLM_OTEL_SPAN_NAMES", "names of spans: rlm; semantic"),
                new Variable(
                        "RLM_OTLP_FILE_CAPTURE_CONTENT",
                        "that of RLM_OTEL_CAPTURE_CONTENT",
                        "text in the file: none, hash, preview, full"));
    }

    @Override
    public Sink create(SinkConfig config) {
        long size = config.bytes("ROTATE_SIZE", 64_000_000);
        if (size > 0 && size < MIN_ROTATE_SIZE) {
            throw config.invalid("ROTATE_SIZE", "at least 100KB, or 0 for never");
        }
        SharedLinesFile file = new SharedLinesFile(
                config.path("PATH").orElse(Path.of(PATH)),
                JsonLinesExporter.HEAD,
                size,
                config.integer("KEEP_FILES", 10, 0, 100_000));
        try {
            file.create();
        } catch (IOException e) {
            throw new SinkConfigException(
                    config.variable("PATH") + ": " + file.path() + " cannot be written: " + FileSpanExporter.reason(e));
        }
        SinkConfig spans = config.furtherSink(NAME, OtelSinkProvider.NAME);
        return OtelSinkProvider.spans(OtelSink.builder(), spans)
                .genAi(GenAiVersions.of(spans))
                .appendTo(file)
                .build();
    }
}
