package dev.rlm.runner.cli;

import dev.rlm.sinks.SinkConfig;
import java.util.List;
import org.slf4j.bridge.SLF4JBridgeHandler;

/** The process's log: warnings on stderr, a line each, unless more is asked for. {@code logback.xml} has the rest. */
final class Logging {
    private static final List<String> LEVELS = List.of("trace", "debug", "info", "warn", "error", "off");

    private Logging() {}

    /** Sets it up, before the first logger is made. */
    static void start(SinkConfig config, boolean verbose) {
        String level = config.shared().choice("RLM_LOG_LEVEL", "warn", LEVELS);
        System.setProperty("rlm.logback.level", verbose ? "info" : level);
        System.setProperty("rlm.logback.exceptions", verbose ? "ex" : "nopex");
        SLF4JBridgeHandler.removeHandlersForRootLogger();
        SLF4JBridgeHandler.install();
    }
}
