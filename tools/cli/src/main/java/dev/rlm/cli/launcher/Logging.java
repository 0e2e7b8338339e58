package dev.rlm.cli.launcher;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.encoder.LayoutWrappingEncoder;
import ch.qos.logback.core.joran.spi.ConsoleTarget;
import ch.qos.logback.core.spi.ContextAwareBase;
import dev.rlm.sinks.SinkConfig;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.bridge.SLF4JBridgeHandler;

/**
 * The process's log: warnings on stderr, a line each, unless more is asked for. Logback finds it as a service when the first
 * logger is made, unless the user has named a file of configuration. It is no such file itself: to read one takes longer than
 * all the rest of a short command.
 */
public final class Logging extends ContextAwareBase implements Configurator {
    private static final List<String> LEVELS = List.of("trace", "debug", "info", "warn", "error", "off");
    private static final List<String> SILENT = List.of(
            "io.opentelemetry", // its sink says what goes wrong in it, once and in plain words
            "dev.rlm.sinks.core.Selection", // commands tell a sink's status themselves
            "io.modelcontextprotocol", // what goes wrong with a server is said so too; this prints what servers send
            "reactor"); // as does this

    /** Loggers of which errors alone are shown, unless more is asked for: the program says itself what matters of the rest. */
    private static final List<String> ERRORS_ALONE =
            List.of("org.apache.spark", "org.apache.hadoop", "org.sparkproject");

    /** Loggers whose lower levels show what requests hold, keys among it. */
    private static final List<String> NEVER_BELOW_INFO = List.of("org.eclipse.jetty", "jdk.httpclient");

    private static volatile String level = "warn";
    private static volatile boolean stackTraces;

    /** Sets it up, before the first logger is made; a {@link dev.rlm.cli.program.Rlm.Log}. */
    static void start(SinkConfig config, boolean verbose, boolean quiet) {
        String wanted = config.shared().choice("RLM_LOG_LEVEL", quiet ? "error" : "warn", LEVELS);
        level = verbose ? "info" : wanted;
        stackTraces = verbose;
        SLF4JBridgeHandler.removeHandlersForRootLogger();
        SLF4JBridgeHandler.install();
    }

    @Override
    public ExecutionStatus configure(LoggerContext context) {
        if (System.getProperty("logback.configurationFile") != null) {
            return ExecutionStatus.INVOKE_NEXT_IF_ANY;
        }
        SILENT.forEach(name -> context.getLogger(name).setLevel(Level.OFF));
        if (level.equals("warn")) {
            ERRORS_ALONE.forEach(name -> context.getLogger(name).setLevel(Level.ERROR));
        }
        ch.qos.logback.classic.Logger root = context.getLogger(Logger.ROOT_LOGGER_NAME);
        root.setLevel(Level.toLevel(level));
        if (root.isDebugEnabled()) {
            NEVER_BELOW_INFO.forEach(name -> context.getLogger(name).setLevel(Level.INFO));
        }
        root.addAppender(stderr(context));
        return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
    }

    private static ConsoleAppender<ILoggingEvent> stderr(LoggerContext context) {
        LogLine line = new LogLine(stackTraces);
        line.setContext(context);
        line.start();
        LayoutWrappingEncoder<ILoggingEvent> encoder = new LayoutWrappingEncoder<>();
        encoder.setContext(context);
        encoder.setLayout(line);
        encoder.start();
        ConsoleAppender<ILoggingEvent> appender = new ConsoleAppender<>();
        appender.setContext(context);
        appender.setTarget(ConsoleTarget.SystemErr.getName());
        appender.setEncoder(encoder);
        appender.start();
        return appender;
    }
}
