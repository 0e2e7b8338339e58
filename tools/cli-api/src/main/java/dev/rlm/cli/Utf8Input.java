package dev.rlm.cli;

import io.airlift.compress.zstd.ZstdInputStream;
import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PushbackInputStream;
import java.io.Reader;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.CharsetEncoder;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Map;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;

/**
 * Text of a file in UTF-8 and without a byte order mark, whatever its encoding and compression, which its first bytes tell: UTF-8,
 * UTF-16 and UTF-32; gzip and zstd.
 */
public final class Utf8Input {
    private static final int BEGINNING = 4;

    /** By how a file begins, in hexadecimal digits. */
    private static final Map<String, String> UNREADABLE = Map.of(
            "504b0304", "a zip archive",
            "fd377a58", "compressed by xz",
            "425a68", "compressed by bzip2",
            "04224d18", "compressed by lz4",
            "377abcaf", "a 7z archive");

    private Utf8Input() {}

    /**
     * The text of a file, or of standard input.
     *
     * @throws IOException if it is an archive, or compressed in another way; also later, where it is damaged
     */
    public static InputStream of(InputStream in) throws IOException {
        PushbackInputStream file = peekable(in);
        String begin = HexFormat.of().formatHex(peek(file));
        for (Map.Entry<String, String> other : UNREADABLE.entrySet()) {
            if (begin.startsWith(other.getKey())) {
                throw new IOException(
                        "it is " + other.getValue() + "; expected a text, plain or compressed by gzip or zstd");
            }
        }
        if (begin.startsWith("1f8b")) {
            return text(peekable(new Decompressed("gzip", () -> new GZIPInputStream(telling(file)))));
        }
        return text(
                begin.equals("28b52ffd") ? peekable(new Decompressed("zstd", () -> new ZstdInputStream(file))) : file);
    }

    private static InputStream text(PushbackInputStream in) throws IOException {
        byte[] begin = peek(in);
        String hex = HexFormat.of().formatHex(begin);
        if (hex.startsWith("efbbbf")) {
            in.skipNBytes(3);
            return in;
        }
        String charset = charset(hex);
        return charset.isEmpty() ? in : new Transcoded(in, Charset.forName(charset));
    }

    /** The charset by a mark, or by where zeros are, since a JSON text begins with two letters of ASCII; empty for UTF-8. */
    private static String charset(String hex) {
        if (hex.matches("fffe0000|(?!00)..000000")) {
            return "UTF-32LE";
        } else if (hex.matches("0000feff|000000..")) {
            return "UTF-32BE";
        } else if (hex.matches("fffe.*|(?!00)..00(?!00)..00")) {
            return "UTF-16LE";
        }
        return hex.matches("feff.*|00(?!00)..00(?!00)..") ? "UTF-16BE" : "";
    }

    private static byte[] peek(PushbackInputStream in) throws IOException {
        byte[] begin = in.readNBytes(BEGINNING);
        in.unread(begin);
        return begin;
    }

    private static PushbackInputStream peekable(InputStream in) {
        return new PushbackInputStream(in, BEGINNING);
    }

    /** A stream that tells by its available bytes whether there are more, and waits for that: a reader of gzip ends where it says that there are none. */
    private static InputStream telling(PushbackInputStream file) {
        return new FilterInputStream(file) {
            @Override
            public int available() throws IOException {
                int next = file.read();
                if (next >= 0) {
                    file.unread(next);
                }
                return next < 0 ? 0 : Math.max(1, file.available());
            }
        };
    }

    /** Tells damage in words. */
    private static final class Decompressed extends InputStream {
        private final String format;
        private final InputStream in;

        Decompressed(String format, Reading<InputStream> opened) throws IOException {
            this.format = format;
            this.in = read(opened);
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] bytes, int from, int length) throws IOException {
            return read(() -> in.read(bytes, from, length));
        }

        private <T> T read(Reading<T> reading) throws IOException {
            try {
                return reading.read();
            } catch (EOFException | ZipException | RuntimeException e) { // the codec of zstd throws several
                throw new IOException("its compression by " + format + " is damaged: " + e.getMessage(), e);
            }
        }

        @Override
        public void close() throws IOException {
            in.close();
        }

        @FunctionalInterface
        private interface Reading<T> {
            T read() throws IOException;
        }
    }

    /** Text of another encoding in UTF-8. */
    private static final class Transcoded extends InputStream {
        private static final char BYTE_ORDER_MARK = '\uFEFF';

        private final Charset charset;
        private final Reader reader;
        private final CharsetEncoder encoder = StandardCharsets.UTF_8.newEncoder();
        private final CharBuffer chars = CharBuffer.allocate(1 << 13).flip();
        private final ByteBuffer bytes = ByteBuffer.allocate(1 << 15).flip();
        private boolean begun;

        Transcoded(InputStream in, Charset charset) {
            this.charset = charset;
            this.reader = new InputStreamReader(in, charset.newDecoder());
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] into, int from, int length) throws IOException {
            while (!bytes.hasRemaining()) {
                if (!fill()) {
                    return length == 0 ? 0 : -1;
                }
            }
            int count = Math.min(length, bytes.remaining());
            bytes.get(into, from, count);
            return count;
        }

        private boolean fill() throws IOException {
            chars.compact();
            int count;
            try {
                count = reader.read(chars);
            } catch (CharacterCodingException e) {
                throw new IOException("it is no valid " + charset, e);
            }
            chars.flip();
            if (!begun && chars.hasRemaining() && chars.get(chars.position()) == BYTE_ORDER_MARK) {
                chars.get();
            }
            begun = true;
            bytes.clear();
            encoder.encode(chars, bytes, count < 0);
            bytes.flip();
            return count >= 0;
        }

        @Override
        public void close() throws IOException {
            reader.close();
        }
    }
}
