package dev.rlm.benchmarks.gateway;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;

/** As much of HTTP/1.1 as a benchmark needs that is not to measure its own client. */
final class Http {
    private static final String LENGTH = "content-length:";
    private static final int HEX = 16;

    private Http() {}

    /** Reads a line. */
    static String line(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int each = in.read(); each != '\n'; each = in.read()) {
            if (each < 0) {
                throw new EOFException();
            } else if (each != '\r') {
                line.append((char) each);
            }
        }
        return line.toString();
    }

    /** Reads a request of known length; returns whether there was one. */
    static boolean skipMessage(InputStream in) throws IOException {
        in.mark(1);
        if (in.read() < 0) {
            return false;
        }
        in.reset();
        int length = 0;
        for (String line = line(in); !line.isEmpty(); line = line(in)) {
            if (line.regionMatches(true, 0, LENGTH, 0, LENGTH.length())) {
                length = Integer.parseInt(line.substring(LENGTH.length()).strip());
            }
        }
        in.skipNBytes(length);
        return true;
    }

    /** Reads a chunk of a body; an empty one is the last. The line end behind a chunk may come with the next one: Jetty sends it so. */
    static byte[] chunk(InputStream in) throws IOException {
        String size = line(in);
        int length = Integer.parseInt(size.isEmpty() ? line(in) : size, HEX);
        byte[] bytes = in.readNBytes(length);
        if (bytes.length < length || (length == 0 && !line(in).isEmpty())) {
            throw new EOFException();
        }
        return bytes;
    }
}
