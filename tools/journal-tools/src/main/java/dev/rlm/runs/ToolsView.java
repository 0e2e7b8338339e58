package dev.rlm.runs;

import dev.rlm.cli.Durations;
import dev.rlm.cli.terminal.Counted;
import dev.rlm.cli.terminal.Ink;
import dev.rlm.cli.terminal.Table;
import dev.rlm.cli.terminal.TerminalWidth;
import dev.rlm.journal.RunSummary;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.ToolCalled;
import java.io.PrintWriter;
import java.util.List;
import java.util.Set;

/** A run's tool calls as a table. */
final class ToolsView implements RunView {
    private static final List<String> HEAD = List.of("step", "tool", "arguments", "result", "status", "duration");
    private static final Set<Integer> NUMBERS = Set.of(0, 5);

    private final Table table = new Table(HEAD, NUMBERS)
            .cut("tool", "arguments", "result")
            .paint("status", (ink, status) -> status.equals("ok") ? status : ink.red(status))
            .leaveOut("step", "duration");
    private final PrintWriter out;
    private final Ink ink;
    private final TextLimits textLimits;
    private final int width;
    private boolean timed;
    private int calls;
    private int failed;

    ToolsView(PrintWriter out, Ink ink, TextLimits textLimits, int width) {
        this.out = out;
        this.ink = ink;
        this.textLimits = textLimits;
        this.width = width;
    }

    @Override
    public void begin(RunSummary run) {
        timed = run.hasTimesWithin();
    }

    @Override
    public void accept(RunEvent event) {
        if (event instanceof ToolCalled call) {
            calls++;
            failed += call.failed() ? 1 : 0;
            table.row(
                    call.step() == RunEvent.NO_STEP ? "" : String.valueOf(call.step()),
                    textLimits.ofCell(call.tool()),
                    textLimits.ofCell(call.arguments().text()),
                    textLimits.ofCell(
                            call.error() == null
                                    ? Shown.result(call)
                                    : call.error().text()),
                    call.failed() ? "failed (" + call.statusCode() + ")" : "ok",
                    timed ? Durations.text(call.duration()) : "");
        }
    }

    @Override
    public void finish() {
        if (calls > 0) {
            List<String> leftOut = table.print(out, ink, width);
            TerminalWidth.printNote(out, ink, leftOut, width);
        }
        out.println(Counted.of(calls, "tool call") + ", " + failed + " failed");
    }
}
