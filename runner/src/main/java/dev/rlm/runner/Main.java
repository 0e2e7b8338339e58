package dev.rlm.runner;

import dev.rlm.runner.cli.Console;
import dev.rlm.runner.cli.Rlm;
import dev.rlm.sinks.SinkConfig;

/** Where the process starts. */
public final class Main {
    private Main() {}

    public static void main(String[] args) {
        ExitWatchdog watchdog = ExitWatchdog.start();
        int code = Rlm.execute(Console.system(), SinkConfig.system(), args);
        watchdog.ended(code);
        System.exit(code);
    }
}
