package dev.rlm.cli;

import dev.rlm.sinks.Ledger;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkStatus;
import dev.rlm.sinks.Sinks;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Account of the way of events to a sink. */
public final class Deliveries {
    private Deliveries() {}

    /**
     * Tells how many events have arrived, of those that were to; and how many were not meant to.
     *
     * @param more what else there is to say, such as where they went; may be empty
     */
    public static String text(Ledger ledger, String more) {
        long leftOut = ledger.droppedTotal() - ledger.lost();
        return ledger.delivered() + " of " + (ledger.offered() - leftOut) + " events delivered"
                + (leftOut == 0 ? "" : ", " + leftOut + " left out by choice")
                + (more.isEmpty() ? "" : ": " + more);
    }

    /** Tells what a sink has lost, or was given up with; nothing where all has arrived. */
    public static List<String> losses(SinkStatus status) {
        Ledger ledger = status.ledger();
        List<String> losses = new ArrayList<>();
        if (ledger.lost() > 0) {
            losses.add("sink '" + status.name() + "' lost " + ledger.lost() + " of " + ledger.offered() + " events: "
                    + ledger.losses());
        }
        if (ledger.queued() > 0) {
            losses.add("sink '" + status.name() + "' was given up with " + ledger.queued() + " of " + ledger.offered()
                    + " events not known to have arrived");
        }
        return losses;
    }

    /**
     * Tells how to send what a sink has lost again from the journal, and with which variables; not for what the journal itself lost.
     *
     * @param options that the command has to be given as well
     */
    public static Optional<String> howToResend(
            SinkStatus status, Sinks sinks, SinkConfig config, String program, String options) {
        boolean keepsTheRecord = sinks.providers().stream()
                .anyMatch(provider -> provider.isDurable() && provider.name().equals(status.name()));
        if (losses(status).isEmpty() || keepsTheRecord) {
            return Optional.empty();
        }
        String own = SinkConfig.prefixOf(status.name());
        String variables = config.variables().stream()
                .filter(name -> name.startsWith(own) || name.startsWith("OTEL_EXPORTER_OTLP_"))
                .sorted()
                .collect(Collectors.joining(", "));
        return Optional.of("to send them again: " + program + " resend --sink " + status.name() + options
                + (variables.isEmpty() ? "" : " (with the same " + variables + ")"));
    }
}
