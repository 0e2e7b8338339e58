package dev.rlm.cli.launcher;

import dev.rlm.cli.Console;
import dev.rlm.cli.Journals;
import dev.rlm.cli.program.Rlm;
import dev.rlm.sinks.SinkConfig;

/** Entry point of the process. */
public final class Main {
    private Main() {}

    public static void main(String[] args) {
        ExitWatchdog watchdog = ExitWatchdog.start();
        watchdog.exit(Rlm.execute(Console.system(), SinkConfig.system(), Journals.FILES, Logging::start, args));
    }
}
