package dev.rlm.sinks.jsonl;

import dev.rlm.journal.format.segment.Disk;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/** This machine's disk, on which what a test says fails. */
public final class FaultyDisk implements Disk {
    private final List<String> synced = Collections.synchronizedList(new ArrayList<>());
    private volatile DiskFault fault = (operation, file) -> {};

    /** From now on asks this before each operation. */
    public void fault(DiskFault value) {
        fault = value;
    }

    /** The names of the files that were to be synced, in order. */
    List<String> synced() {
        return List.copyOf(synced);
    }

    @Override
    public void createFolder(Path folder) throws IOException {
        fault.before("createFolder", folder);
        LOCAL.createFolder(folder);
    }

    @Override
    public Lock lock(Path folder) throws IOException {
        fault.before("lock", folder);
        return LOCAL.lock(folder);
    }

    @Override
    public Optional<Lock> takeOver(Path folder, String name) throws IOException {
        fault.before("lock", folder);
        return LOCAL.takeOver(folder, name);
    }

    @Override
    public Output reopen(Path file) throws IOException {
        fault.before("reopen", file);
        return new FaultyFile(file, LOCAL.reopen(file));
    }

    @Override
    public Output create(Path file) throws IOException {
        fault.before("create", file);
        return new FaultyFile(file, LOCAL.create(file));
    }

    @Override
    public InputStream read(Path file) throws IOException {
        fault.before("read", file);
        return LOCAL.read(file);
    }

    @Override
    public void delete(Path file) throws IOException {
        LOCAL.delete(file);
    }

    @Override
    public void syncNames(Path folder) throws IOException {
        fault.before("syncNames", folder);
        LOCAL.syncNames(folder);
    }

    /** Throws where an operation is to fail. */
    @FunctionalInterface
    public interface DiskFault {
        void before(String operation, Path file) throws IOException;
    }

    /** One of its files. */
    private final class FaultyFile implements Output {
        private final Path file;
        private final Output output;

        FaultyFile(Path file, Output output) {
            this.file = file;
            this.output = output;
        }

        @Override
        public void append(ByteBuffer bytes) throws IOException {
            fault.before("append", file);
            output.append(bytes);
        }

        @Override
        public void sync() throws IOException {
            synced.add(file.getFileName().toString());
            fault.before("sync", file);
            output.sync();
        }

        @Override
        public void rename(Path to) throws IOException {
            fault.before("rename", file);
            output.rename(to);
        }

        @Override
        public void check() throws IOException {
            output.check();
        }

        @Override
        public void close() throws IOException {
            output.close();
        }
    }
}
