package dev.rlm.sinks.jsonl;

import dev.rlm.journal.format.segment.Disk;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * A disk in memory that can fail, and lose its power. What was not synced then is there or not, in part or in whole, each
 * write and each name for itself; and what a failed sync was to save is never safe, whatever a later one says.
 */
final class MemoryDisk implements Disk {
    private static final int SECTOR = 512;

    private final Random random;
    private final Map<Path, Inode> names = new HashMap<>();
    private final Map<Path, Inode> safeNames = new HashMap<>();
    private final List<Change> changes = new ArrayList<>();
    private int operationsLeft = Integer.MAX_VALUE;
    private double failureRate;

    MemoryDisk(Random random) {
        this.random = random;
    }

    /** Loses its power in one of the next operations. */
    void crashAfter(int operations) {
        operationsLeft = operations;
    }

    /** How likely each operation fails. */
    void failureRate(double rate) {
        failureRate = rate;
    }

    /** Lays what is left after a loss of power into a folder. */
    void surviveTo(Path from, Path to) throws IOException {
        Map<Path, Inode> left = new TreeMap<>(safeNames); // in an order that is always the same
        changes.stream().filter(change -> random.nextBoolean()).forEach(change -> change.applyTo(left));
        for (Map.Entry<Path, Inode> file : left.entrySet()) {
            Path target = to.resolve(from.relativize(file.getKey()).toString());
            Files.createDirectories(target.getParent());
            Files.write(target, file.getValue().afterCrash(random));
        }
    }

    private void operation(boolean mayFail) throws IOException {
        if (operationsLeft-- <= 0) {
            throw new Crash();
        }
        if (mayFail && random.nextDouble() < failureRate) {
            throw new IOException(random.nextBoolean() ? "Input/output error" : "No space left on device");
        }
    }

    private static Path folderOf(Path file) {
        return Objects.requireNonNull(file.getParent());
    }

    private void change(Change change) {
        change.applyTo(names);
        changes.add(change);
    }

    @Override
    public void createFolder(Path folder) throws IOException {
        operation(true);
    }

    @Override
    public Lock lock(Path folder) throws IOException {
        operation(true);
        Path file = folder.resolve("lock");
        change(new Change(folder, after -> after.put(file, new Inode())));
        return new Lock() {
            @Override
            public void check() {
                // nobody else is here
            }

            @Override
            public void remove() throws IOException {
                delete(file);
            }

            @Override
            public void close() {
                // nobody else is here
            }
        };
    }

    @Override
    public Optional<Lock> takeOver(Path folder, String name) {
        return Optional.empty();
    }

    @Override
    public Output reopen(Path file) throws IOException {
        throw new NoSuchFileException(file.toString());
    }

    @Override
    public Output create(Path file) throws IOException {
        operation(true);
        if (names.containsKey(file)) {
            throw new FileAlreadyExistsException(file.toString());
        }
        Inode inode = new Inode();
        change(new Change(folderOf(file), after -> after.put(file, inode)));
        return new Open(file, inode);
    }

    @Override
    public InputStream read(Path file) throws IOException {
        operation(true);
        Inode inode = names.get(file);
        if (inode == null) {
            throw new NoSuchFileException(file.toString());
        }
        return new ByteArrayInputStream(inode.now.toByteArray());
    }

    @Override
    public void delete(Path file) throws IOException {
        operation(true);
        if (names.containsKey(file)) {
            change(new Change(folderOf(file), after -> after.remove(file)));
        }
    }

    @Override
    public void syncNames(Path folder) throws IOException {
        operation(true);
        changes.stream().filter(change -> change.folder.equals(folder)).forEach(change -> change.applyTo(safeNames));
        changes.removeIf(change -> change.folder.equals(folder));
    }

    /** A change of names that is not safe yet. */
    private record Change(Path folder, Consumer<Map<Path, Inode>> effect) {
        void applyTo(Map<Path, Inode> names) {
            effect.accept(names);
        }
    }

    /** Some bytes that are not safe yet. */
    private static final class Write {
        private final int offset;
        private final byte[] bytes;

        Write(int offset, byte[] bytes) {
            this.offset = offset;
            this.bytes = bytes;
        }
    }

    /** A file without its name. */
    private static final class Inode {
        private final ByteArrayOutputStream now = new ByteArrayOutputStream();
        private final List<Write> unsafe = new ArrayList<>();
        private final List<Write> neverSafe = new ArrayList<>();
        private byte[] safe = {};

        void append(byte[] bytes) {
            unsafe.add(new Write(now.size(), bytes));
            now.writeBytes(bytes);
        }

        void sync() {
            byte[] all = now.toByteArray();
            neverSafe.forEach(lost -> Arrays.fill(all, lost.offset, lost.offset + lost.bytes.length, (byte) 0));
            safe = all;
            unsafe.clear();
        }

        void failSync() {
            neverSafe.addAll(unsafe);
            unsafe.clear();
        }

        byte[] afterCrash(Random random) {
            byte[] left = safe.clone();
            for (List<Write> writes : List.of(neverSafe, unsafe)) {
                for (Write write : writes) {
                    left = partOf(write, left, random);
                }
            }
            return left;
        }

        /** None, all, the beginning, or any of its sectors; what is between is zeros, or by chance anything. */
        private static byte[] partOf(Write write, byte[] before, Random random) {
            int kind = random.nextInt(4);
            if (kind == 0) {
                return before;
            }
            int length = kind == 1 ? write.bytes.length : random.nextInt(write.bytes.length + 1);
            byte[] after = Arrays.copyOf(before, Math.max(before.length, write.offset + length));
            for (int from = 0; from < length; from += SECTOR) {
                int count = Math.min(SECTOR, length - from);
                if (kind != 3 || random.nextBoolean()) {
                    System.arraycopy(write.bytes, from, after, write.offset + from, count);
                } else if (random.nextInt(4) == 0) {
                    byte[] garbage = new byte[count];
                    random.nextBytes(garbage);
                    System.arraycopy(garbage, 0, after, write.offset + from, count);
                }
            }
            return after;
        }
    }

    /** A file that is written. */
    private final class Open implements Output {
        private final Inode inode;
        private Path file;

        Open(Path file, Inode inode) {
            this.file = file;
            this.inode = inode;
        }

        @Override
        public void append(ByteBuffer bytes) throws IOException {
            byte[] all = new byte[bytes.remaining()];
            bytes.duplicate().get(all);
            try {
                operation(true);
            } catch (IOException | Crash e) {
                int part = random.nextInt(all.length + 1);
                inode.append(Arrays.copyOf(all, part));
                bytes.position(bytes.position() + part);
                throw e;
            }
            inode.append(all);
            bytes.position(bytes.limit());
        }

        @Override
        public void sync() throws IOException {
            try {
                operation(true);
            } catch (IOException e) {
                inode.failSync();
                throw e;
            }
            inode.sync();
        }

        @Override
        public void rename(Path to) throws IOException {
            operation(true);
            Path from = file;
            change(new Change(folderOf(to), after -> {
                after.remove(from, inode);
                after.put(to, inode);
            }));
            file = to;
        }

        @Override
        public void check() throws IOException {
            operation(true);
        }

        @Override
        public void close() {
            // nothing is held
        }
    }

    /** The power is gone. */
    static final class Crash extends Error {
        private static final long serialVersionUID = 1;
    }
}
