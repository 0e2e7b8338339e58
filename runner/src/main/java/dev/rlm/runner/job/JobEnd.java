package dev.rlm.runner.job;

import dev.rlm.cli.Console;
import dev.rlm.cli.Redactions;
import dev.rlm.cli.SinkOptions;
import dev.rlm.sinks.Ledger;
import dev.rlm.sinks.SinkStatus;
import dev.rlm.sinks.Sinks;

/**
 * The last words of a job: what it came to, what went wrong on the way to the sinks, and what can be done about it.
 *
 * @param options what was said of the sinks
 * @param sinks the job's, closed
 */
record JobEnd(Console console, SinkOptions options, SinkWarnings warnings, Sinks sinks) {
    /**
     * Tells it.
     *
     * @param quiet whether to leave out what is no result and no failure
     */
    void tell(Summary summary, boolean json, boolean quiet) {
        if (json) {
            SummaryJson.print(console.out(), summary);
        } else {
            new SummaryText(console.out(), summary).print(console.program(), options.toRepeat());
        }
        warnings.unavailable(summary.sinks());
        summary.sinks().forEach(warnings::losses);
        Redactions.warning(summary.redactions()).ifPresent(console::warn);
        if (summary.journal().isPresent() && !quiet) {
            summary.sinks().forEach(this::sayHowToResend);
        }
    }

    /** What a sink has lost is in the journal still, and so it can be had again; but for what the journal itself lost. */
    private void sayHowToResend(SinkStatus status) {
        Ledger ledger = status.ledger();
        boolean keepsTheRecord = sinks.providers().stream()
                .anyMatch(provider -> provider.isDurable() && provider.name().equals(status.name()));
        if (ledger.lost() + ledger.queued() > 0 && !keepsTheRecord) {
            console.err()
                    .println("to send them again: " + console.program() + " resend --sink " + status.name()
                            + options.toRepeat());
        }
    }
}
