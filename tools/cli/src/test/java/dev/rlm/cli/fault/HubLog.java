package dev.rlm.cli.fault;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.slf4j.LoggerFactory;

/** What sinks and their hub have logged since it was opened. */
final class HubLog implements AutoCloseable {
    private final Logger logger = (Logger) LoggerFactory.getLogger("dev.rlm.sinks");
    private final Queue<ILoggingEvent> lines = new ConcurrentLinkedQueue<>();
    private final AppenderBase<ILoggingEvent> appender = new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent line) {
            lines.add(line);
        }
    };

    HubLog() {
        appender.setContext(logger.getLoggerContext());
        appender.start();
        logger.addAppender(appender);
    }

    /** All that was said of the sink. */
    List<String> of(String sink) {
        return all().stream()
                .filter(line -> line.startsWith("sink " + sink + ":"))
                .toList();
    }

    List<String> all() {
        return lines.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    @Override
    public void close() {
        logger.detachAppender(appender);
        appender.stop();
    }
}
