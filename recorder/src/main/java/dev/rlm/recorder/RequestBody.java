package dev.rlm.recorder;

import java.io.IOException;
import java.io.InputStream;

/** Body of a request as it comes over a connection: of a known length, or in chunks. */
final class RequestBody extends InputStream {
    private static final int MAX_LINE = 1 << 10;
    private static final int MAX_DIGITS = 8;
    private static final int HEXADECIMAL = 16;

    private final Connection connection;
    private final boolean chunked;
    private long left; // of the body, or of the chunk
    private boolean first = true;
    private boolean ended;

    RequestBody(Connection connection, long length) {
        this.connection = connection;
        this.chunked = length == RequestHead.CHUNKED;
        this.left = chunked ? 0 : length;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
        if (left == 0 && chunked && !ended) {
            nextChunk();
        }
        if (left == 0) {
            return -1;
        }
        int count = connection.read(into, offset, (int) Math.min(length, left));
        left -= count;
        return count;
    }

    private void nextChunk() throws IOException {
        if (!first && !line().isEmpty()) {
            throw new BadRequestException(400, "a chunk is longer than its size says");
        }
        first = false;
        String size = line().split(";", 2)[0].strip();
        if (size.length() > MAX_DIGITS || !size.matches("[0-9a-fA-F]+")) {
            throw new BadRequestException(400, "the size of a chunk must be a hexadecimal number");
        }
        left = Long.parseLong(size, HEXADECIMAL);
        if (left == 0) {
            ended = true;
            skipTrailers();
        }
    }

    private void skipTrailers() throws IOException {
        int length = 0;
        for (String line = line(); !line.isEmpty(); line = line()) {
            length += line.length();
            if (length > MAX_LINE) {
                throw new BadRequestException(400, "what follows the last chunk is too long");
            }
        }
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int each = connection.read(); each != '\n'; each = connection.read()) {
            if (line.length() > MAX_LINE) {
                throw new BadRequestException(400, "the line of a chunk's size is too long");
            }
            line.append((char) each);
        }
        return line.toString().stripTrailing();
    }
}
