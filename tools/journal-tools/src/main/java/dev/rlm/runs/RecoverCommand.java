package dev.rlm.runs;

import dev.rlm.cli.StartRecovery;
import dev.rlm.cli.terminal.Counted;
import dev.rlm.cli.terminal.Printable;
import dev.rlm.cli.terminal.Progress;
import dev.rlm.journal.recovery.Recovered;
import dev.rlm.journal.recovery.Recovery;
import dev.rlm.journal.recovery.Resent;
import dev.rlm.sinks.Sinks;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import picocli.CommandLine.Command;
import tools.jackson.core.JsonGenerator;

/** The command that brings to an end what killed processes left behind. */
@Command(
        name = "recover",
        description = "Gives the runs of killed processes their end in the journal, and sends these runs again to the"
                + " sinks that are chosen.",
        mixinStandardHelpOptions = true)
public final class RecoverCommand extends ResendingVerb {
    @SuppressWarnings("NullAway.Init") // set before it is told
    private Recovered recovered;

    @Override
    Sinks.Builder purpose(Sinks.Builder builder) {
        return builder.recovering();
    }

    @Override
    Resent send(Path journal, Sinks sinks) {
        AtomicInteger sent = new AtomicInteger();
        try (Progress ignored = progress(() -> Counted.of(sent.get(), "run has", "runs have") + " been sent again")) {
            Recovery.Sent result = Recovery.recover(journal, sinks, sent::set);
            recovered = result.journal();
            return result.sent();
        }
    }

    @Override
    void write(JsonGenerator generator, Resent resent) {
        generator.writeNumberProperty("died_writers", recovered.writers());
        generator.writeNumberProperty("abandoned_runs", recovered.runs());
        generator.writeNumberProperty("living_writers", recovered.living());
        generator.writeNumberProperty("damaged_lines", recovered.damagedLines());
        generator.writeArrayPropertyStart("set_aside");
        for (Recovered.SetAside bytes : recovered.setAside()) {
            generator.writeStartObject();
            generator.writeStringProperty("file", bytes.file().toString());
            generator.writeNumberProperty("bytes", bytes.bytes());
            generator.writeEndObject();
        }
        generator.writeEndArray();
        generator.writeArrayPropertyStart("problems");
        recovered.problems().forEach(generator::writeString);
        generator.writeEndArray();
        generator.writeObjectPropertyStart("sent");
        writeSent(generator, resent);
        generator.writeEndObject();
    }

    @Override
    void print(Resent sent) {
        line("journal", recovered.writers() == 0 ? "nothing to recover" : StartRecovery.died(recovered));
        StartRecovery.damage(recovered).forEach(line -> line("damage", line));
        if (recovered.living() > 0) {
            line(
                    "left",
                    Counted.of(recovered.living(), "writer") + " alone: alive, or in the hands of another recovery");
        }
        if (sent.events() > 0 || !sent.isComplete()) {
            line("sent", Counted.of(sent.runs(), "run") + ", " + Counted.of(sent.events(), "event"));
            printSinks(sent);
        }
    }

    @Override
    boolean tellProblems(Resent resent) {
        recovered.problems().forEach(problem -> err().println(Printable.line("rlm: " + problem)));
        return recovered.problems().isEmpty();
    }
}
