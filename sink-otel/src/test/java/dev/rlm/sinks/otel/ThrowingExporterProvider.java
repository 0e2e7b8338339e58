package dev.rlm.sinks.otel;

import io.opentelemetry.sdk.autoconfigure.spi.ConfigProperties;
import io.opentelemetry.sdk.autoconfigure.spi.traces.ConfigurableSpanExporterProvider;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.util.Collection;
import java.util.List;

/** Makes the exporter {@code throwing}, which throws the worst that code can throw, twice, and takes spans from then on. */
public final class ThrowingExporterProvider implements ConfigurableSpanExporterProvider {
    @Override
    public String getName() {
        return "throwing";
    }

    @Override
    public SpanExporter createExporter(ConfigProperties config) {
        return new Throwing();
    }

    private static final class Throwing implements SpanExporter {
        private final List<Error> errors = List.of(new OutOfMemoryError("for a test"), new LinkageError("for a test"));
        private int thrown;

        @Override
        public CompletableResultCode export(Collection<SpanData> spans) {
            if (thrown < errors.size()) {
                throw errors.get(thrown++);
            }
            return CompletableResultCode.ofSuccess();
        }

        @Override
        public CompletableResultCode flush() {
            return CompletableResultCode.ofSuccess();
        }

        @Override
        public CompletableResultCode shutdown() {
            return CompletableResultCode.ofSuccess();
        }
    }
}
