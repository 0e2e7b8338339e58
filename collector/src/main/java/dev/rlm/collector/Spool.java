package dev.rlm.collector;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Files of what was acknowledged and is in no run yet: lines, synced in groups. A file goes when nothing needs it any more.
 * Safe for use by several threads.
 */
final class Spool implements Closeable {
    private static final long MAX_FILE = 32L << 20;
    private static final String PREFIX = "spans-";
    private static final String SUFFIX = ".jsonl";

    private final Path folder;
    private final FileChannel lockFile;
    private final TreeMap<Integer, FileChannel> files = new TreeMap<>(); // guarded by this, like what follows
    private final Map<Integer, Long> lastUse = new HashMap<>();
    private int current;
    private long written;
    private long synced;
    private boolean broken;
    private final Object syncing = new Object();

    /** A line's place. */
    record Place(int file, long offset, int length) {}

    /** Receiver of lines that are there already. */
    interface Reader {
        void line(Place place, byte[] line);
    }

    /**
     * Opens the spool in a folder, which is made where it is not there.
     *
     * @throws IOException if that cannot be done, or another process has it
     */
    Spool(Path folder) throws IOException {
        this.folder = folder;
        boolean posix = folder.getFileSystem().supportedFileAttributeViews().contains("posix");
        Files.createDirectories(folder);
        if (posix) {
            Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
        }
        lockFile = FileChannel.open(folder.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        if (lock(lockFile) == null) {
            lockFile.close();
            throw new IOException("another rlm collect records there");
        }
        try (Stream<Path> found = Files.list(folder)) {
            for (Path file : found.toList()) {
                String name = file.getFileName().toString();
                if (name.matches(PREFIX + "\\d{1,9}\\" + SUFFIX)) {
                    int number = Integer.parseInt(name.substring(PREFIX.length(), name.length() - SUFFIX.length()));
                    files.put(number, FileChannel.open(file, StandardOpenOption.READ));
                    lastUse.put(number, System.nanoTime());
                }
            }
        }
        startFile();
    }

    private static @Nullable FileLock lock(FileChannel file) throws IOException {
        try {
            return file.tryLock();
        } catch (OverlappingFileLockException e) {
            return null;
        }
    }

    private void startFile() throws IOException {
        int number = files.isEmpty() ? 1 : files.lastKey() + 1;
        files.put(
                number,
                FileChannel.open(
                        path(number),
                        StandardOpenOption.CREATE_NEW,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE));
        current = number;
        broken = false;
        try (FileChannel directory = FileChannel.open(folder, StandardOpenOption.READ)) {
            directory.force(true);
        } catch (IOException e) {
            // not every system syncs folders
        }
    }

    private Path path(int number) {
        return folder.resolve(PREFIX + number + SUFFIX);
    }

    /** Reads all whole lines that there are. */
    synchronized void read(Reader reader) throws IOException {
        for (Map.Entry<Integer, FileChannel> file : files.entrySet()) {
            file.getValue().position(0);
            LineScan scan = new LineScan(file.getKey(), reader);
            scan.read(Channels.newInputStream(file.getValue()));
        }
    }

    /** Writes lines, and returns their places once they are synced. */
    List<Place> append(List<byte[]> lines) throws IOException {
        List<Place> places = new ArrayList<>(lines.size());
        long upTo;
        synchronized (this) {
            for (byte[] line : lines) {
                places.add(write(line));
            }
            upTo = written;
        }
        sync(upTo);
        return places;
    }

    private Place write(byte[] line) throws IOException {
        FileChannel file = file(current);
        if (broken || file.position() > MAX_FILE) {
            file.force(false);
            startFile();
            file = file(current);
        }
        long offset = file.position();
        broken = true; // until all of the line is there
        ByteBuffer bytes =
                ByteBuffer.allocate(line.length + 1).put(line).put((byte) '\n').flip();
        while (bytes.hasRemaining()) {
            file.write(bytes);
        }
        broken = false;
        written += line.length + 1;
        lastUse.put(current, System.nanoTime());
        return new Place(current, offset, line.length);
    }

    private FileChannel file(int number) throws IOException {
        FileChannel file = files.get(number);
        if (file == null) {
            throw new IOException("the spool has no file " + number);
        }
        return file;
    }

    /** Many that wait are synced at once. Files before the current one are synced already. */
    private void sync(long upTo) throws IOException {
        synchronized (syncing) {
            if (synced >= upTo) {
                return;
            }
            FileChannel file;
            long covered;
            synchronized (this) {
                file = file(current);
                covered = written;
            }
            try {
                file.force(false);
                synced = covered;
            } catch (IOException e) {
                synchronized (this) {
                    broken = true; // what the system has lost is lost: nothing more goes into this file
                }
                throw e;
            }
        }
    }

    /** Reads a line. */
    byte[] line(Place place) throws IOException {
        FileChannel file;
        synchronized (this) {
            file = file(place.file());
        }
        ByteBuffer bytes = ByteBuffer.allocate(place.length());
        while (bytes.hasRemaining()) {
            if (file.read(bytes, place.offset() + bytes.position()) < 0) {
                throw new IOException("the spool ends before its line");
            }
        }
        return bytes.array();
    }

    /** Deletes the files that nothing is needed of, and that were not written to for so long. */
    synchronized void deleteUnused(Set<Integer> needed, long nanos) throws IOException {
        long now = System.nanoTime();
        for (Integer number : List.copyOf(files.keySet())) {
            boolean old = now - lastUse.getOrDefault(number, now) > nanos;
            if (number != current && !needed.contains(number) && old) {
                file(number).close();
                files.remove(number);
                lastUse.remove(number);
                Files.deleteIfExists(path(number));
            }
        }
    }

    @Override
    public synchronized void close() throws IOException {
        for (FileChannel file : files.values()) {
            file.close();
        }
        lockFile.close();
    }

    /** Cuts a file into lines; what is no whole line was never acknowledged. */
    private record LineScan(int file, Reader reader) {
        void read(InputStream in) throws IOException {
            byte[] chunk = new byte[1 << 16];
            java.io.ByteArrayOutputStream line = new java.io.ByteArrayOutputStream();
            long offset = 0;
            for (int count = in.read(chunk); count >= 0; count = in.read(chunk)) {
                int from = 0;
                for (int i = 0; i < count; i++) {
                    if (chunk[i] == '\n') {
                        line.write(chunk, from, i - from);
                        reader.line(new Place(file, offset, line.size()), line.toByteArray());
                        offset += line.size() + 1L;
                        line.reset();
                        from = i + 1;
                    }
                }
                line.write(chunk, from, count - from);
            }
        }
    }
}
