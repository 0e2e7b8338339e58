package dev.rlm.sinks.otel.otlp;

import dev.rlm.sinks.delivery.DeliveryException;
import dev.rlm.sinks.delivery.DeliveryStatus;
import java.util.List;
import java.util.logging.Filter;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;
import org.slf4j.helpers.NOPLoggerFactory;

/**
 * Keeps failures of this sink's own senders out of the log of OpenTelemetry's exporters, which would tell each of them with a stack
 * trace in {@code java.util.logging}: the {@link DeliveryStatus} says them, once and in a line. Those of other exporters stay,
 * and all do where SLF4J has no provider, so that nothing would be said.
 *
 * @param other what decides about all others
 */
record ExporterLog(@Nullable Filter other) implements Filter {
    private static final List<Logger> LOGGERS = Stream.of(
                    "Grpc", "Http") // held, or they are forgotten with their filters
            .map(kind -> Logger.getLogger("io.opentelemetry.exporter.otlp.internal." + kind + "Exporter"))
            .toList();

    /** Does so from now on, in the whole process. */
    static synchronized void quieten() {
        if (!(LoggerFactory.getILoggerFactory() instanceof NOPLoggerFactory)) {
            LOGGERS.stream()
                    .filter(logger -> !(logger.getFilter() instanceof ExporterLog))
                    .forEach(logger -> logger.setFilter(new ExporterLog(logger.getFilter())));
        }
    }

    @Override
    public boolean isLoggable(LogRecord said) {
        return !(said.getThrown() instanceof DeliveryException) && (other == null || other.isLoggable(said));
    }
}
