package dev.rlm.cli;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;

/** Standard output, which knows whether its reader has gone: {@code head} does so once it has its lines, and is content. */
final class StandardOutput extends PrintWriter {
    private final Pipe pipe;

    StandardOutput() {
        this(new Pipe(new FileOutputStream(FileDescriptor.out)));
    }

    private StandardOutput(Pipe pipe) {
        super(pipe, true, StandardCharsets.UTF_8);
        this.pipe = pipe;
    }

    boolean isReaderGone() {
        return pipe.broken;
    }

    /** Remembers why it could not be written to, of which a writer tells only that. */
    private static final class Pipe extends FilterOutputStream {
        private volatile boolean broken;

        Pipe(OutputStream out) {
            super(out);
        }

        @Override
        public void write(byte[] bytes, int from, int length) throws IOException {
            try {
                out.write(bytes, from, length);
            } catch (IOException e) {
                broken = String.valueOf(e.getMessage()).contains("Broken pipe"); // there is no type for it
                throw e;
            }
        }
    }
}
