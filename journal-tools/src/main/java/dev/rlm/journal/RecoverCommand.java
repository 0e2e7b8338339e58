package dev.rlm.journal;

import dev.rlm.cli.Interruption;
import dev.rlm.cli.StartRecovery;
import dev.rlm.cli.terminal.Json;
import dev.rlm.cli.terminal.Printable;
import dev.rlm.cli.terminal.Progress;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.jsonl.Recovered;
import dev.rlm.sinks.jsonl.Recovery;
import dev.rlm.sinks.jsonl.Resent;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The command that brings to an end what killed processes left behind. */
@Command(
        name = "recover",
        description = "Gives the runs of killed processes their end in the journal, and sends these runs again to the"
                + " sinks that are chosen.",
        mixinStandardHelpOptions = true)
public final class RecoverCommand extends JournalVerb {
    @Mixin
    private final ResendingSinks resendingSinks = new ResendingSinks();

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    @Override
    protected int execute() throws Exception {
        return interruptibly(this::recover);
    }

    private int recover() {
        Path journal = directory();
        try (Sinks sinks = resendingSinks.open(config(), Sinks.Builder::recovering, journal)) {
            Recovery.Sent result = recover(journal, sinks);
            sinks.close(Interruption.CLOSE_TIME);
            boolean interrupted = Thread.interrupted() || result.sent().interrupted();
            report(result);
            boolean complete =
                    result.journal().problems().isEmpty() && result.sent().isComplete();
            return interrupted ? Interruption.EXIT_CODE : complete ? CommandLine.ExitCode.OK : 1;
        }
    }

    private Recovery.Sent recover(Path journal, Sinks sinks) {
        AtomicInteger sent = new AtomicInteger();
        try (Progress ignored = progress(() -> sent.get() + " runs have been sent again")) {
            return Recovery.recover(journal, sinks, sent::set);
        }
    }

    private void report(Recovery.Sent result) {
        PrintWriter out = out();
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
        PrintWriter err = err();
        result.journal().problems().forEach(problem -> err.println(Printable.line("rlm: " + problem)));
        ResentText.warn(err, result.sent(), "recover");
    }

    private static void print(PrintWriter out, Recovered journal, Resent sent) {
        ResentText.line(out, "journal", journal.writers() == 0 ? "nothing to recover" : StartRecovery.died(journal));
        StartRecovery.damage(journal).forEach(line -> ResentText.line(out, "damage", line));
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

    private static String counted(int number, String thing) {
        return number + " " + thing + (number == 1 ? "" : "s");
    }
}
