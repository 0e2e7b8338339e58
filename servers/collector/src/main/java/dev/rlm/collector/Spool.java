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
    /** Not a journal writer's {@code lock}: each look for dead writers opens and closes those, which lets a lock go. */
    private static final String LOCK = "spool.lock";

    private final Path folder;
    private final FileChannel lockFile;
    private final TreeMap<Integer, LineFile> files = new TreeMap<>(); // guarded by this, like what follows
    private LineFile current;

    /** A line's place. */
    record Position(int file, long offset, int length) {
        /** Returns where the next line begins. */
        long end() {
            return offset + length + 1;
        }
    }

    /** Tells that another process has the folder. */
    static final class InUseException extends IOException {
        private static final long serialVersionUID = 1;

        InUseException() {
            super("another rlm collect records there");
        }
    }

    /** Receiver of lines that are there already. */
    interface Reader {
        void line(Position place, byte[] line) throws IOException;
    }

    /**
     * Opens the spool in a folder, which is made where it is not there.
     *
     * @throws InUseException if another process has it
     * @throws IOException if that cannot be done
     */
    Spool(Path folder) throws IOException {
        this.folder = folder;
        boolean posix = folder.getFileSystem().supportedFileAttributeViews().contains("posix");
        Files.createDirectories(folder);
        if (posix) {
            Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
        }
        lockFile = FileChannel.open(folder.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        if (lock(lockFile) == null) {
            lockFile.close();
            throw new InUseException();
        }
        try (Stream<Path> found = Files.list(folder)) {
            for (Path file : found.toList()) {
                String name = file.getFileName().toString();
                if (name.matches(PREFIX + "\\d{1,9}\\" + SUFFIX)) {
                    int number = Integer.parseInt(name.substring(PREFIX.length(), name.length() - SUFFIX.length()));
                    files.put(number, new LineFile(number, FileChannel.open(file, StandardOpenOption.READ)));
                }
            }
        }
        current = startFile();
    }

    private static @Nullable FileLock lock(FileChannel file) throws IOException {
        try {
            return file.tryLock();
        } catch (OverlappingFileLockException e) {
            return null;
        }
    }

    private LineFile startFile() throws IOException {
        int number = files.isEmpty() ? 1 : files.lastKey() + 1;
        LineFile file = new LineFile(
                number,
                FileChannel.open(
                        path(number),
                        StandardOpenOption.CREATE_NEW,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE));
        files.put(number, file);
        try (FileChannel directory = FileChannel.open(folder, StandardOpenOption.READ)) {
            directory.force(true);
        } catch (IOException e) {
            // not every system syncs folders
        }
        return file;
    }

    private Path path(int number) {
        return folder.resolve(PREFIX + number + SUFFIX);
    }

    /** Reads all whole lines that there are. */
    synchronized void read(Reader reader) throws IOException {
        for (Map.Entry<Integer, LineFile> file : files.entrySet()) {
            FileChannel channel = file.getValue().channel.position(0);
            LineScan scan = new LineScan(file.getKey(), reader);
            scan.read(Channels.newInputStream(channel));
        }
    }

    /** Writes lines, and returns their places once they are synced. */
    List<Position> append(List<byte[]> lines) throws IOException {
        List<Position> places = new ArrayList<>(lines.size());
        synchronized (this) {
            for (byte[] line : lines) {
                if (!current.takesMore()) {
                    current = startFile();
                }
                places.add(current.write(line));
            }
        }
        for (int i = 0; i < places.size(); i++) {
            boolean isLastOfFile = i + 1 == places.size()
                    || places.get(i + 1).file() != places.get(i).file();
            if (isLastOfFile) {
                file(places.get(i).file()).sync(places.get(i).end());
            }
        }
        return places;
    }

    private synchronized LineFile file(int number) throws IOException {
        LineFile file = files.get(number);
        if (file == null) {
            throw new IOException("the spool has no file " + number);
        }
        return file;
    }

    /** Reads a line. */
    byte[] line(Position place) throws IOException {
        FileChannel file = file(place.file()).channel;
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
            LineFile file = file(number);
            if (file != current && !needed.contains(number) && now - file.lastUse > nanos) {
                file.channel.close();
                files.remove(number);
                Files.deleteIfExists(path(number));
            }
        }
    }

    /** Deletes all files. */
    synchronized void clear() throws IOException {
        for (Map.Entry<Integer, LineFile> file : files.entrySet()) {
            file.getValue().channel.close();
            Files.deleteIfExists(path(file.getKey()));
        }
        files.clear();
    }

    @Override
    public synchronized void close() throws IOException {
        for (LineFile file : files.values()) {
            file.channel.close();
        }
        lockFile.close();
    }

    /** A file of lines, which are written by one thread at a time and synced by any. */
    private static final class LineFile {
        final int number;
        final FileChannel channel;
        long lastUse = System.nanoTime();
        private boolean partial; // its last line is not whole
        private volatile long end; // of its last whole line
        private volatile boolean lost;
        private long synced;

        LineFile(int number, FileChannel channel) {
            this.number = number;
            this.channel = channel;
        }

        boolean takesMore() {
            return !partial && !lost && end <= MAX_FILE;
        }

        Position write(byte[] line) throws IOException {
            Position place = new Position(number, end, line.length);
            partial = true;
            ByteBuffer bytes = ByteBuffer.allocate(line.length + 1)
                    .put(line)
                    .put((byte) '\n')
                    .flip();
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            partial = false;
            end = place.end();
            lastUse = System.nanoTime();
            return place;
        }

        /**
         * Syncs all that is there, for all who wait. What a failed sync was to cover is lost, even where a later one succeeds:
         * systems forget what they could not write.
         */
        synchronized void sync(long upTo) throws IOException {
            if (synced >= upTo) {
                return;
            } else if (lost) {
                throw new IOException("an earlier sync of the same lines failed");
            }
            long covered = end;
            try {
                channel.force(false);
                synced = covered;
            } catch (IOException e) {
                lost = true;
                throw e;
            }
        }
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
                        reader.line(new Position(file, offset, line.size()), line.toByteArray());
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
