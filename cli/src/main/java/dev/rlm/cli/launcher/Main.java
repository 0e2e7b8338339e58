package dev.rlm.cli.launcher;

import dev.rlm.cli.Console;
import dev.rlm.sinks.SinkConfig;

/** Entry point of the process. */
public final class Main {
    private Main() {}

    public static void main(String[] args) {
        ExitWatchdog watchdog = ExitWatchdog.start();
        int code = Rlm.execute(Console.system(), SinkConfig.system(), args);
        watchdog.ended(code);
        System.exit(code);
    }
}
