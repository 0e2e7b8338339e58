package dev.rlm.journal.exchange;

import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Files that come into being whole or not at all: each is written beside its place under another name, for its owner alone,
 * and takes its place when all are written. What stands there until then stays. What another process was killed over is
 * taken away from the folder.
 */
final class NewFiles implements Closeable {
    private static final int BUFFER = 1 << 16;

    private final List<NewFile> files = new ArrayList<>();

    /** Begins a file that will stand at that place. */
    OutputStream create(Path place) throws IOException {
        Path folder = Objects.requireNonNull(place.toAbsolutePath().getParent());
        TemporaryFile.removeLeftovers(folder);
        TemporaryFile written = TemporaryFile.create(folder);
        OutputStream out = new BufferedOutputStream(Channels.newOutputStream(written.channel()), BUFFER);
        files.add(new NewFile(place, written, out));
        return out;
    }

    /** Puts all files into their places: they are whole. */
    void commit() throws IOException {
        for (NewFile file : files) {
            file.out().flush();
            file.written().channel().force(true);
        }
        for (NewFile file : files) {
            file.written().moveTo(file.place());
        }
    }

    /** Removes what has not been put into its place. */
    @Override
    public void close() throws IOException {
        for (NewFile file : files) {
            file.written().close();
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

    private record NewFile(Path place, TemporaryFile written, OutputStream out) {}
}
