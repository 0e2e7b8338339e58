package dev.rlm.runs.exchange.output;

import dev.rlm.cli.terminal.Printable;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;

/** Lines of JSON on their way to standard output, which may be a terminal. */
final class TerminalOutput extends OutputStream {
    private static final int CHECKED_LINES = 64;

    private final PrintWriter out;
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();
    private int lines;

    TerminalOutput(PrintWriter out) {
        this.out = out;
    }

    @Override
    public void write(int value) throws IOException {
        if (value != '\n') {
            line.write(value);
            return;
        }
        out.print(Printable.json(line.toString(StandardCharsets.UTF_8)) + "\n");
        line.reset();
        if (++lines % CHECKED_LINES == 0) {
            flush();
        }
    }

    @Override
    public void flush() throws IOException {
        if (out.checkError()) { // which flushes it
            throw new IOException("standard output takes no more");
        }
    }
}
