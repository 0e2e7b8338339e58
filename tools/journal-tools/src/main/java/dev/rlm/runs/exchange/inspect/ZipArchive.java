package dev.rlm.runs.exchange.inspect;

import io.airlift.compress.zstd.ZstdInputStream;
import java.io.ByteArrayInputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.zip.CRC32;
import java.util.zip.Inflater;
import java.util.zip.InflaterInputStream;
import java.util.zip.ZipException;

/**
 * A zip archive whose entries are stored, deflated or compressed with zstd, which {@code java.util.zip} does not know. Of
 * entries of one name the last one counts. Lengths are those that the directory tells, and no entry becomes longer.
 */
public final class ZipArchive implements Closeable {
    /** Number of bytes that tell whether a file is one. */
    public static final int BEGINNING = 4;

    private static final int LOCAL = 0x04034b50;
    private static final int CENTRAL = 0x02014b50;
    private static final int END = 0x06054b50;
    private static final int END_64 = 0x06064b50;
    private static final int LOCATOR_64 = 0x07064b50;
    private static final int LOCAL_SIZE = 30;
    private static final int CENTRAL_SIZE = 46;
    private static final int END_SIZE = 22;
    private static final int END_64_SIZE = 56;
    private static final int LOCATOR_64_SIZE = 20;
    private static final int MAX_COMMENT = 0xffff;
    private static final long IN_EXTRA = 0xffffffffL; // instead of a number that is too large for its field
    private static final int STORED = 0;
    private static final int DEFLATED = 8;
    private static final int ZSTD = 93;
    private static final int ENCRYPTED = 1;

    private final FileChannel file;
    private final NavigableMap<String, Entry> entries = new TreeMap<>();

    private ZipArchive(FileChannel file) {
        this.file = file;
    }

    /** A file of the archive. */
    record Entry(String name, int flags, int method, int crc, long compressed, long size, long offset) {}

    /** Returns whether a file that begins so is an archive. */
    public static boolean begins(byte[] bytes) {
        return bytes.length == BEGINNING && little(ByteBuffer.wrap(bytes)).getInt() == LOCAL;
    }

    /**
     * Opens an archive and reads its directory.
     *
     * @throws ZipException if it is none, or was cut off
     */
    static ZipArchive open(Path path) throws IOException {
        ZipArchive archive = new ZipArchive(FileChannel.open(path, StandardOpenOption.READ));
        try {
            archive.readDirectory();
            return archive;
        } catch (IOException | RuntimeException e) {
            archive.close();
            throw e;
        }
    }

    /** By their names. */
    NavigableMap<String, Entry> entries() {
        return entries;
    }

    /**
     * Returns the bytes of an entry.
     *
     * @param most how long it may be
     * @throws ZipException if it is damaged, too long or compressed in another way
     */
    byte[] read(Entry entry, long most) throws IOException {
        if ((entry.flags() & ENCRYPTED) != 0) {
            throw new ZipException("it is encrypted");
        } else if (entry.size() > most || entry.compressed() > most) {
            throw new ZipException(entry.size() + " bytes, more than the " + most + " that the memory allows");
        }
        ByteBuffer local = at(entry.offset(), LOCAL_SIZE);
        if (local.getInt(0) != LOCAL) {
            throw new ZipException("no entry where the directory says");
        }
        long from = entry.offset() + LOCAL_SIZE + word(local, 26) + word(local, 28);
        InputStream in = new ByteArrayInputStream(at(from, entry.compressed()).array());
        Inflater inflater = new Inflater(true);
        byte[] bytes;
        try (InputStream text = decompressed(entry.method(), in, inflater)) {
            bytes = text.readNBytes((int) entry.size() + 1);
        } catch (ZipException e) {
            throw e;
        } catch (IOException | RuntimeException e) { // the codec has no exception of its own for all kinds of damage
            throw new ZipException("damaged: " + e.getMessage());
        } finally {
            inflater.end();
        }
        CRC32 crc = new CRC32();
        crc.update(bytes);
        if (bytes.length != entry.size() || (int) crc.getValue() != entry.crc()) {
            throw new ZipException("damaged: its length or checksum is another");
        }
        return bytes;
    }

    private static InputStream decompressed(int method, InputStream in, Inflater inflater) throws ZipException {
        return switch (method) {
            case STORED -> in;
            case DEFLATED -> new InflaterInputStream(in, inflater);
            case ZSTD -> new ZstdInputStream(in);
            default ->
                throw new ZipException(
                        "compression method " + method + "; stored (0), deflate (8) and zstd (93) can be" + " read");
        };
    }

    private void readDirectory() throws IOException {
        long length = file.size();
        int tail = (int) Math.min(length, END_SIZE + MAX_COMMENT);
        ByteBuffer end = at(length - tail, tail);
        int at = tail - END_SIZE;
        while (at >= 0 && (end.getInt(at) != END || at + END_SIZE + word(end, at + 20) > tail)) {
            at--;
        }
        if (at < 0) {
            throw new ZipException("no directory at its end: it was cut off");
        }
        long size = number(end, at + 12);
        long offset = number(end, at + 16);
        long locator = length - tail + at - LOCATOR_64_SIZE;
        if (locator >= 0 && at(locator, LOCATOR_64_SIZE).getInt(0) == LOCATOR_64) {
            ByteBuffer large = at(at(locator, LOCATOR_64_SIZE).getLong(8), END_64_SIZE);
            if (large.getInt(0) == END_64) {
                size = large.getLong(40);
                offset = large.getLong(48);
            }
        }
        ByteBuffer directory = at(offset, size);
        while (directory.remaining() >= CENTRAL_SIZE && directory.getInt(directory.position()) == CENTRAL) {
            readEntry(directory);
        }
        if (directory.hasRemaining()) {
            throw new ZipException("its directory is damaged");
        }
    }

    private void readEntry(ByteBuffer directory) throws ZipException {
        int at = directory.position();
        int nameLength = word(directory, at + 28);
        int extraLength = word(directory, at + 30);
        int next = at + CENTRAL_SIZE + nameLength + extraLength + word(directory, at + 32);
        if (next > directory.limit()) {
            throw new ZipException("its directory is damaged");
        }
        byte[] bytes = new byte[nameLength];
        directory.get(at + CENTRAL_SIZE, bytes);
        String name = new String(bytes, StandardCharsets.UTF_8);
        ByteBuffer large = extra(directory, at + CENTRAL_SIZE + nameLength, extraLength);
        long size = large(number(directory, at + 24), large); // in this order
        long compressed = large(number(directory, at + 20), large);
        long offset = large(number(directory, at + 42), large);
        int flags = word(directory, at + 8);
        Entry entry =
                new Entry(name, flags, word(directory, at + 10), directory.getInt(at + 16), compressed, size, offset);
        entries.put(name, entry);
        directory.position(next);
    }

    /** Numbers of an entry that are too large for their fields; empty where there are none. */
    private static ByteBuffer extra(ByteBuffer directory, int from, int length) {
        for (int at = from; at + 4 <= from + length; at += 4 + word(directory, at + 2)) {
            if (word(directory, at) == 1) {
                int size = Math.min(word(directory, at + 2), from + length - at - 4);
                return little(directory.slice(at + 4, size));
            }
        }
        return ByteBuffer.allocate(0);
    }

    private static long large(long told, ByteBuffer extra) throws ZipException {
        long number = told == IN_EXTRA && extra.remaining() >= Long.BYTES ? extra.getLong() : told;
        if (number < 0) {
            throw new ZipException("its directory is damaged");
        }
        return number;
    }

    private static int word(ByteBuffer bytes, int at) {
        return bytes.getShort(at) & 0xffff;
    }

    private static long number(ByteBuffer bytes, int at) {
        return bytes.getInt(at) & IN_EXTRA;
    }

    private static ByteBuffer little(ByteBuffer bytes) {
        return bytes.order(ByteOrder.LITTLE_ENDIAN);
    }

    private ByteBuffer at(long from, long length) throws IOException {
        if (from < 0 || length < 0 || length > Integer.MAX_VALUE - 8 || from > file.size() - length) {
            throw new ZipException("it refers to what lies outside of it: it was cut off or damaged");
        }
        ByteBuffer bytes = little(ByteBuffer.allocate((int) length));
        while (bytes.hasRemaining() && file.read(bytes, from + bytes.position()) >= 0) {
            // goes on
        }
        return bytes.flip();
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
