package dev.rlm.runner.exchange;

import dev.rlm.sinks.jsonl.segment.PrivateFiles;
import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Files that come into being whole or not at all: each is written beside its place under another name, for its owner alone,
 * and takes its place when all are written. What stands there until then stays.
 */
final class NewFiles implements Closeable {
    private static final int BUFFER = 1 << 16;

    private final List<NewFile> files = new ArrayList<>();

    /** Begins a file that will stand at that place. */
    OutputStream create(Path place) throws IOException {
        String name = "." + place.getFileName() + "."
                + Long.toHexString(ThreadLocalRandom.current().nextLong()) + ".tmp";
        Path written = place.resolveSibling(name);
        FileChannel channel = PrivateFiles.open(written, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        OutputStream out = new BufferedOutputStream(Channels.newOutputStream(channel), BUFFER);
        files.add(new NewFile(place, written, channel, out));
        return out;
    }

    /** Puts all files into their places: they are whole. */
    void commit() throws IOException {
        for (NewFile file : files) {
            file.out().flush();
            file.channel().force(true);
            file.channel().close();
        }
        for (NewFile file : files) {
            Files.move(
                    file.written(), file.place(), StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
        }
    }

    /** Removes what has not been put into its place. */
    @Override
    public void close() throws IOException {
        for (NewFile file : files) {
            file.channel().close();
            Files.deleteIfExists(file.written());
        }
    }

    /**
     * Why there can be no new file at the place; empty where there can.
     *
     * @param force whether another file may give way to it
     */
    static String refusal(Path place, boolean force) {
        Path folder = place.toAbsolutePath().getParent();
        if (place.getFileName() == null || folder == null) {
            return place + " is no name for a file";
        } else if (!Files.isDirectory(folder)) {
            return "there is no folder " + folder;
        } else if (!Files.exists(place, LinkOption.NOFOLLOW_LINKS)) {
            return "";
        } else if (Files.isSymbolicLink(place)) {
            return place + " is a link: name the file itself";
        } else if (!Files.isRegularFile(place, LinkOption.NOFOLLOW_LINKS)) {
            return place + " is no file" + (Files.isDirectory(place) ? " but a folder" : "");
        }
        return force ? "" : place + " is there already: --force replaces it";
    }

    private record NewFile(Path place, Path written, FileChannel channel, OutputStream out) {}
}
