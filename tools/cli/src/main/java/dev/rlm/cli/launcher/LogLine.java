package dev.rlm.cli.launcher;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.LayoutBase;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.regex.Pattern;

/** A line of the log: time, level, logger and message, from which control characters are taken; its stack trace if asked for. */
final class LogLine extends LayoutBase<ILoggingEvent> {
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("HH:mm:ss.SSS").withZone(ZoneId.systemDefault());
    private static final Pattern CONTROL = Pattern.compile("\\p{Cntrl}");

    private final boolean stackTraces;

    LogLine(boolean stackTraces) {
        this.stackTraces = stackTraces;
    }

    @Override
    public String doLayout(ILoggingEvent event) {
        String logger = event.getLoggerName();
        IThrowableProxy error = stackTraces ? event.getThrowableProxy() : null;
        return String.format(
                "%s %-5s %s: %s%n%s",
                TIME.format(Instant.ofEpochMilli(event.getTimeStamp())),
                event.getLevel(),
                logger.substring(logger.lastIndexOf('.') + 1),
                CONTROL.matcher(String.valueOf(event.getFormattedMessage())).replaceAll("?"),
                error == null ? "" : ThrowableProxyUtil.asString(error));
    }
}
