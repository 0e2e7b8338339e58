package dev.rlm.benchmarks.reading;

import dev.rlm.cli.Console;
import dev.rlm.cli.program.Rlm;
import dev.rlm.sinks.SinkConfig;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A program that times one command of {@code rlm} on a journal, once, as its user would wait for it. */
final class ReadByRlm {
    private ReadByRlm() {}

    public static void main(String[] args) {
        int steps = Integer.parseInt(args[0]);
        List<String> command = new ArrayList<>(List.of(args).subList(1, args.length));
        StringWriter trouble = new StringWriter();
        Console console = new Console(new PrintWriter(new StringWriter()), new PrintWriter(trouble), false, "rlm");
        long start = System.nanoTime();
        int code = Rlm.execute(console, SinkConfig.of(Map.of()), command.toArray(new String[0]));
        long nanos = System.nanoTime() - start;
        if (code != 0) {
            throw new IllegalStateException(code + ": " + trouble);
        }
        Reading.sample(steps, nanos).print();
    }
}
