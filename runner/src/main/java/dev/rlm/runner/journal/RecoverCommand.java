package dev.rlm.runner.journal;

import dev.rlm.runner.terminal.Interruption;
import dev.rlm.runner.terminal.Json;
import dev.rlm.runner.terminal.Printable;
import dev.rlm.runner.terminal.Progress;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkConfigException;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.jsonl.JournalException;
import dev.rlm.sinks.jsonl.Recovered;
import dev.rlm.sinks.jsonl.Recovery;
import dev.rlm.sinks.jsonl.Resent;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command that brings to an end what killed processes left behind. */
@Command(
        name = "recover",
        description = "Gives the runs of killed processes their end in the journal, and sends these runs again to the"
                + " sinks that are chosen.",
        mixinStandardHelpOptions = true)
public final class RecoverCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // set before call()
    private CommandSpec spec;

    @Mixin
    private final JournalOption journalOption;

    @Mixin
    private final ResendingSinks resendingSinks = new ResendingSinks();

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    private final SinkConfig config;
    private final boolean terminal;

    /** The command, for a program with this configuration; whether a person sees its progress as it comes. */
    public RecoverCommand(SinkConfig config, boolean terminal) {
        journalOption = new JournalOption(config);
        this.config = config;
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        Path journal = journalOption.directory();
        Thread worker = Thread.currentThread();
        try (Interruption ignored = new Interruption(worker::interrupt);
                Sinks sinks = resendingSinks.open(config, Sinks.Builder::recovering, journal)) {
            Recovery.Sent result = recover(journal, sinks);
            sinks.close(Interruption.CLOSE_TIME);
            boolean interrupted = Thread.interrupted() || result.sent().interrupted();
            report(result);
            boolean complete =
                    result.journal().problems().isEmpty() && result.sent().isComplete();
            return interrupted ? Interruption.EXIT_CODE : complete ? CommandLine.ExitCode.OK : 1;
        } catch (JournalException | SinkConfigException e) {
            if (Thread.interrupted()) {
                return Interruption.EXIT_CODE;
            }
            throw new ParameterException(spec.commandLine(), Printable.line(String.valueOf(e.getMessage())), e);
        }
    }

    private Recovery.Sent recover(Path journal, Sinks sinks) {
        AtomicInteger sent = new AtomicInteger();
        try (Progress ignored =
                new Progress(spec.commandLine().getErr(), terminal, () -> sent.get() + " runs have been sent again")) {
            return Recovery.recover(journal, sinks, sent::set);
        }
    }

    private void report(Recovery.Sent result) {
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            Json.print(out, generator -> {
                generator.writeNumberProperty("died_writers", result.journal().writers());
                generator.writeNumberProperty("abandoned_runs", result.journal().runs());
                generator.writeNumberProperty("living_writers", result.journal().living());
                generator.writeNumberProperty("damaged_lines", result.journal().damagedLines());
                generator.writeArrayPropertyStart("set_aside");
                for (Recovered.SetAside bytes : result.journal().setAside()) {
                    generator.writeStartObject();
                    generator.writeStringProperty("file", bytes.file().toString());
                    generator.writeNumberProperty("bytes", bytes.bytes());
                    generator.writeEndObject();
                }
                generator.writeEndArray();
                generator.writeArrayPropertyStart("problems");
                result.journal().problems().forEach(generator::writeString);
                generator.writeEndArray();
                generator.writeObjectPropertyStart("sent");
                ResentText.write(generator, result.sent());
                generator.writeEndObject();
            });
        } else {
            print(out, result.journal(), result.sent());
        }
        out.flush();
        PrintWriter err = spec.commandLine().getErr();
        result.journal().problems().forEach(problem -> err.println(Printable.line("rlm: " + problem)));
        ResentText.warn(err, result.sent(), "recover");
    }

    private static void print(PrintWriter out, Recovered journal, Resent sent) {
        ResentText.line(out, "journal", journal.writers() == 0 ? "nothing to recover" : died(journal));
        damage(journal).forEach(line -> ResentText.line(out, "damage", line));
        if (journal.living() > 0) {
            ResentText.line(
                    out,
                    "left",
                    counted(journal.living(), "writer") + " alone: alive, or in the hands of another recovery");
        }
        if (sent.events() > 0 || !sent.isComplete()) {
            ResentText.line(out, "sent", counted(sent.runs(), "run") + ", " + sent.events() + " events");
            ResentText.print(out, sent);
        }
    }

    /** What was done, in words. */
    static String died(Recovered journal) {
        String processes = journal.writers() == 1 ? " process had died, " : " processes had died, ";
        return journal.writers() + processes + counted(journal.runs(), "run") + " abandoned";
    }

    /** What was not whole in the records of those that had died, in words: a line for each file, and one for the lines. */
    static List<String> damage(Recovered journal) {
        List<String> lines = new ArrayList<>();
        for (Recovered.SetAside bytes : journal.setAside()) {
            lines.add(bytes.bytes() + (bytes.bytes() == 1 ? " byte" : " bytes")
                    + " behind the last whole line set aside in " + bytes.file());
        }
        if (journal.damagedLines() > 0) {
            lines.add(journal.damagedLines()
                    + (journal.damagedLines() == 1 ? " damaged line was" : " damaged lines were") + " passed over");
        }
        return lines;
    }

    private static String counted(int number, String thing) {
        return number + " " + thing + (number == 1 ? "" : "s");
    }
}
