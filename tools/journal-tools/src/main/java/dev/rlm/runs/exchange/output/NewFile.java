package dev.rlm.runs.exchange.output;

import dev.rlm.journal.format.segment.PrivateFiles;
import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file that comes into being whole or not at all: it is written beside its place, for its owner alone, under a name that
 * says whose it is. It is locked until then: the operating system takes the lock away when the process ends, however it
 * ends, and the next export removes the file.
 */
final class NewFile implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(NewFile.class);
    private static final int BUFFER = 1 << 16;

    /** Tells the files of this process from others: to open one of its own again would give up its lock. */
    private static final String PROCESS = random();

    private static final Pattern NAME = Pattern.compile("\\.rlm-export-([0-9a-f]{16})-[0-9a-f]{16}\\.tmp");

    private final Path place;
    private final Path path;
    private final FileChannel channel;
    private final OutputStream out;

    private NewFile(Path place, Path path, FileChannel channel) {
        this.place = place;
        this.path = path;
        this.channel = channel;
        this.out = new BufferedOutputStream(Channels.newOutputStream(channel), BUFFER);
    }

    /** Begins a file that will stand at that place. Leftovers of processes that were killed are removed beside it. */
    static NewFile create(Path place) throws IOException {
        Path folder = Objects.requireNonNull(place.toAbsolutePath().getParent());
        removeLeftovers(folder);
        while (true) {
            Path path = folder.resolve(".rlm-export-" + PROCESS + "-" + random() + ".tmp");
            FileChannel channel = PrivateFiles.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
            if (lock(channel) && Files.exists(path)) {
                return new NewFile(place, path, channel);
            }
            channel.close(); // another export has taken it for a leftover
        }
    }

    private static String random() {
        return String.format("%016x", ThreadLocalRandom.current().nextLong());
    }

    /** Returns whether the file is this process's now, which it is too where the file system knows no locks. */
    private static boolean lock(FileChannel channel) {
        try {
            return channel.tryLock() != null;
        } catch (IOException e) {
            LOG.debug("there are no locks here", e);
            return true;
        }
    }

    private static void removeLeftovers(Path folder) {
        try (Stream<Path> files = Files.list(folder)) {
            List<Path> leftovers = files.filter(NewFile::mayBeLeft).toList();
            leftovers.forEach(NewFile::removeIfLeft);
        } catch (IOException e) {
            LOG.debug("{} cannot be looked through", folder, e);
        }
    }

    private static boolean mayBeLeft(Path file) {
        Matcher name = NAME.matcher(String.valueOf(file.getFileName()));
        return name.matches() && !name.group(1).equals(PROCESS) && PrivateFiles.isFile(file);
    }

    private static void removeIfLeft(Path file) {
        try (FileChannel channel = PrivateFiles.open(file, StandardOpenOption.WRITE)) {
            if (channel.tryLock() != null) {
                Files.deleteIfExists(file); // while it is locked: who has just made it makes another
            }
        } catch (IOException | OverlappingFileLockException e) {
            LOG.debug("{} is left where it is", file, e);
        }
    }

    OutputStream out() {
        return out;
    }

    /** Has all that was written survive a loss of power. */
    void sync() throws IOException {
        out.flush();
        channel.force(true);
    }

    /** Puts it into its place, over what stands there. It stays locked until it is closed. */
    void commit() throws IOException {
        Files.move(path, place, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    }

    /** Closes it, and removes it unless it is in its place. */
    @Override
    public void close() throws IOException {
        Files.deleteIfExists(path);
        channel.close();
    }

    /**
     * Returns the reason why there can be no new file at the place; empty where there can.
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
}
