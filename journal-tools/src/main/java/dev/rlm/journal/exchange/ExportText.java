package dev.rlm.journal.exchange;

import dev.rlm.cli.terminal.Printable;
import java.io.PrintWriter;
import java.util.Locale;

/** Tells people what an export wrote, and what it left out. */
final class ExportText {
    private static final double MEGABYTE = 1e6;

    private ExportText() {}

    static void print(PrintWriter out, String output, Exported exported, long bytes) {
        String size = bytes < MEGABYTE
                ? String.format(Locale.ROOT, "%,d bytes", bytes)
                : String.format(Locale.ROOT, "%,.1f MB", bytes / MEGABYTE);
        line(
                out,
                "written",
                exported.runs()
                        + (exported.runs() == 1 ? " run, " : " runs, ")
                        + exported.records()
                        + (exported.records() == 1 ? " record, " : " records, ")
                        + size
                        + (output.equals(Destination.STANDARD_OUTPUT) ? "" : ": " + output));
        exported.leftOut().forEach((reason, count) -> line(out, "left out", count + ": " + reason));
        out.flush();
    }

    private static void line(PrintWriter out, String name, String text) {
        out.println(Printable.line("%-8s %s".formatted(name, text)));
    }
}
