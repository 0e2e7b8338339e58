package dev.rlm.runs.report.failures;

import dev.rlm.runs.report.sheets.NamedFigures;
import dev.rlm.sinks.event.ToolCalled;
import java.time.Instant;
import java.util.Comparator;

/**
 * A call of a tool that failed.
 *
 * @param runStartedAt start of its run
 * @param step 0 for none
 * @param error what was said of it; its status code where nothing was
 */
record FailedCall(
        Instant runStartedAt,
        String runId,
        int step,
        long seq,
        String tool,
        String arguments,
        int statusCode,
        String error) {
    /** Order in which they were made, run by run. */
    static final Comparator<FailedCall> ORDER = Comparator.comparing(FailedCall::runStartedAt)
            .thenComparing(FailedCall::runId)
            .thenComparingLong(FailedCall::seq);

    /** None, for the head of a table. */
    static final FailedCall NONE = new FailedCall(Instant.EPOCH, "", 0, 0, "", "", 0, "");

    static FailedCall of(ToolCalled call) {
        return new FailedCall(
                call.run().startedAt(),
                call.run().runId(),
                call.step(),
                call.seq(),
                call.tool(),
                call.arguments().text(),
                call.statusCode(),
                call.error() == null
                        ? "status " + call.statusCode()
                        : call.error().text());
    }

    NamedFigures fields() {
        return new NamedFigures()
                .put("run_id", runId)
                .put("step", step == 0 ? null : step)
                .put("seq", seq)
                .put("tool", tool)
                .name("arguments", arguments)
                .put("status_code", statusCode)
                .put("error", error);
    }
}
