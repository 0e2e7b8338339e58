package dev.rlm.sinks.otel.files;

import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A file that whole lines are appended to, by several sinks and processes at once. A full one is renamed to {@code NAME-N}, with
 * rising numbers, and the oldest of those are deleted. Nothing stays open between two lines, so that any program may rename or
 * delete the file. Each line is written under the lock of another file, so that half a line is known as one of a dead process, and a
 * failed write is undone: programs that follow the file meet whole lines alone. Full files keep their numbers, so that a reader by a
 * pattern reads none twice. Safe for use by several threads.
 */
public final class SharedLinesFile {
    private static final Object IN_PROCESS =
            new Object(); // a system's lock belongs to the process: any close of the file releases it
    private static final long LOCK_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int CHUNK = 1 << 13;

    private final Path file;
    private final Path lockFile;
    private final Pattern full;
    private final String stem;
    private final String extension;
    private final byte[] head;
    private final long maxSize;
    private final int kept;

    /**
     * Makes none yet.
     *
     * @param head the beginning of each line, by which half a line of a killed process is known
     * @param maxSize size above which the next file is begun; 0 for never
     * @param kept how many full files are kept
     */
    public SharedLinesFile(Path file, String head, long maxSize, int kept) {
        this.file = file.toAbsolutePath().normalize();
        this.head = head.getBytes(StandardCharsets.US_ASCII);
        this.maxSize = maxSize;
        this.kept = kept;
        String name = String.valueOf(this.file.getFileName());
        int dot = name.lastIndexOf('.');
        stem = dot > 0 ? name.substring(0, dot) : name;
        extension = dot > 0 ? name.substring(dot) : "";
        full = Pattern.compile(Pattern.quote(stem) + "-(\\d{1,9})" + Pattern.quote(extension));
        lockFile = this.file.resolveSibling("." + name + ".lock");
    }

    public Path path() {
        return file;
    }

    /** Makes the file and its folder where they are not there yet. */
    public void create() throws IOException {
        createFolder();
        if (Files.isDirectory(file)) {
            throw new IOException("it is a folder");
        } else if (isFile()) {
            open().close();
        }
    }

    private void createFolder() throws IOException {
        Path folder = file.getParent();
        if (folder != null && !Files.isDirectory(folder)) {
            Files.createDirectories(folder, ownersOnly("rwx------"));
        }
    }

    /** Returns whether it is a file, or nothing yet; a device or a pipe is only written to. */
    private boolean isFile() {
        return Files.notExists(file) || Files.isRegularFile(file);
    }

    /**
     * Appends a line.
     *
     * @param line with its end
     * @throws IOException if it cannot; then nothing of the line is there
     */
    void append(byte[] line) throws IOException {
        synchronized (IN_PROCESS) {
            createFolder();
            if (!isFile()) {
                Files.write(file, line, StandardOpenOption.WRITE);
                return;
            }
            try (FileChannel locked = channel(lockFile);
                    FileLock ignored = lock(locked)) {
                rotate(line.length);
                try (FileChannel out = open()) {
                    append(out, line);
                }
            }
        }
    }

    private FileChannel open() throws IOException {
        return channel(file);
    }

    private static FileChannel channel(Path path) throws IOException {
        return FileChannel.open(
                path,
                Set.of(StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE),
                ownersOnly("rw-------"));
    }

    private static FileAttribute<?>[] ownersOnly(String permissions) {
        return File.separatorChar == '/'
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))
                }
                : new FileAttribute<?>[0];
    }

    private static FileLock lock(FileChannel channel) throws IOException {
        long by = System.nanoTime() + LOCK_NANOS;
        FileLock lock = channel.tryLock();
        while (lock == null
                && System.nanoTime() - by < 0
                && !Thread.currentThread().isInterrupted()) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(2));
            lock = channel.tryLock();
        }
        if (lock == null) {
            throw new IOException("another process holds its lock");
        }
        return lock;
    }

    private void append(FileChannel out, byte[] line) throws IOException {
        long end = withoutHalfLine(out);
        boolean written = false;
        try {
            ByteBuffer bytes = ByteBuffer.wrap(line);
            while (bytes.hasRemaining()) {
                out.write(bytes, end + bytes.position());
            }
            written = true;
        } finally {
            if (!written) {
                out.truncate(end);
            }
        }
    }

    /** Cuts off what a killed process has left of a line, and ends a line of somebody else; returns the file's end. */
    private long withoutHalfLine(FileChannel out) throws IOException {
        long size = out.size();
        long begin = size;
        while (begin > 0) {
            int length = (int) Math.min(CHUNK, begin);
            byte[] chunk = read(out, begin - length, length);
            int last = length - 1;
            while (last >= 0 && chunk[last] != '\n') {
                last--;
            }
            begin -= length - 1 - last;
            if (last >= 0) {
                break;
            }
        }
        if (begin == size) {
            return size;
        }
        int known = (int) Math.min(head.length, size - begin);
        if (Arrays.equals(read(out, begin, known), 0, known, head, 0, known)) {
            out.truncate(begin);
            return begin;
        }
        out.write(ByteBuffer.wrap(new byte[] {'\n'}), size);
        return size + 1;
    }

    private static byte[] read(FileChannel from, long place, int length) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(length);
        while (bytes.hasRemaining() && from.read(bytes, place + bytes.position()) >= 0) {
            // on
        }
        return bytes.array();
    }

    /** Begins the next file where the line has no room in this one. */
    private void rotate(int length) throws IOException {
        long size = Files.exists(file) ? Files.size(file) : 0;
        if (maxSize == 0 || size == 0 || size + length <= maxSize) {
            return;
        }
        NavigableMap<Integer, Path> others = fullFiles();
        int next = others.isEmpty() ? 1 : others.lastKey() + 1;
        Path renamed = file.resolveSibling(stem + "-" + next + extension);
        Files.move(file, renamed);
        others.put(next, renamed);
        List<Path> oldest = others.values().stream()
                .limit(Math.max(0, others.size() - kept))
                .toList();
        for (Path old : oldest) {
            Files.deleteIfExists(old);
        }
    }

    private NavigableMap<Integer, Path> fullFiles() throws IOException {
        NavigableMap<Integer, Path> found = new TreeMap<>();
        try (Stream<Path> all = Files.list(file.resolveSibling(""))) {
            all.forEach(each -> {
                Matcher name = full.matcher(String.valueOf(each.getFileName()));
                if (name.matches() && Files.isRegularFile(each)) {
                    found.put(Integer.parseInt(name.group(1)), each);
                }
            });
        }
        return found;
    }
}
