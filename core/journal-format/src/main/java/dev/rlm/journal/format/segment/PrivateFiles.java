package dev.rlm.journal.format.segment;

import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;

/**
 * Files and folders that only their owner may read, as far as the file system knows owners. Only regular files are opened: to open a pipe
 * waits for its other end for ever, a device may have no end, and a link may lead anywhere, where a tail would be cut or a line appended.
 */
public final class PrivateFiles {
    private static final FileAttribute<?>[] NONE = {};
    private static final boolean WINDOWS = File.separatorChar == '\\';
    private static final String UNSUPPORTED = "Invalid argument"; // how some network file systems answer

    private PrivateFiles() {}

    /**
     * Opens a file, made if the options say so.
     *
     * @throws NotRegularFileException if something else is there, such as a symbolic link or a pipe
     */
    public static FileChannel open(Path file, OpenOption... options) throws IOException {
        Set<OpenOption> all = new HashSet<>(Set.of(options));
        if (!all.contains(StandardOpenOption.CREATE_NEW) && isOther(file)) {
            throw new NotRegularFileException(file);
        }
        all.add(LinkOption.NOFOLLOW_LINKS);
        return FileChannel.open(file, all, permissions(file, "rw-------"));
    }

    /** Reads the bytes of a file from a place on; zeros for those that it does not have. */
    public static byte[] read(FileChannel file, long from, int length) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(length);
        int count = 0;
        while (bytes.hasRemaining() && count >= 0) {
            count = file.read(bytes, from + bytes.position());
        }
        return bytes.array();
    }

    /** Returns whether there is a regular file; a symbolic link to one is none. */
    public static boolean isFile(Path path) {
        return Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS);
    }

    /** Deletes a file where there is a regular one, and returns how many bytes that frees. */
    public static long delete(Path file) throws IOException {
        if (!isFile(file)) {
            return 0;
        }
        try {
            long size = Files.size(file);
            return Files.deleteIfExists(file) ? size : 0;
        } catch (NoSuchFileException e) {
            return 0;
        }
    }

    /** Returns whether there is something else than a regular file. */
    public static boolean isOther(Path path) {
        return Files.exists(path, LinkOption.NOFOLLOW_LINKS) && !isFile(path);
    }

    /**
     * Makes a folder and those above it, where they are not there yet, and their names survive a loss of power. One that is
     * there may be a symbolic link above, but not the folder itself.
     */
    public static void createFolder(Path folder) throws IOException {
        Path existing = folder.toAbsolutePath();
        Deque<Path> parents = new ArrayDeque<>();
        while (existing.getParent() != null && Files.notExists(existing)) {
            existing = existing.getParent();
            parents.push(existing);
        }
        Files.createDirectories(folder, permissions(folder, "rwx------"));
        if (Files.isSymbolicLink(folder)) {
            throw new NotDirectoryException(folder + " (a symbolic link)");
        }
        for (Path parent : parents) {
            syncFolder(parent);
        }
    }

    private static FileAttribute<?>[] permissions(Path path, String permissions) {
        return path.getFileSystem().supportedFileAttributeViews().contains("posix")
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))
                }
                : NONE;
    }

    /** Makes the file's name survive a loss of power, where folders can be synced. */
    public static void syncNames(Path file) throws IOException {
        Path folder = file.toAbsolutePath().getParent();
        if (folder != null) {
            syncFolder(folder);
        }
    }

    /** Makes the names in a folder survive a loss of power, where folders can be synced. */
    static void syncFolder(Path folder) throws IOException {
        if (WINDOWS) {
            return; // it opens no folders, and keeps names safe itself
        }
        try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
            channel.force(true);
        } catch (AccessDeniedException e) {
            // a folder above, in which one may pass but not look: nothing in it that is ours
        } catch (IOException e) {
            if (!UNSUPPORTED.equals(e.getMessage())) {
                throw e;
            }
        }
    }

    /**
     * Returns why a folder can neither be written to nor made; empty if it can. Makes a temporary folder there to find
     * out, since permissions do not tell all.
     */
    public static String refusal(Path folder) {
        Path existing = folder;
        while (!Files.exists(existing) && existing.getParent() != null) {
            existing = existing.getParent();
        }
        return Files.isDirectory(existing) ? refusalOfExisting(existing) : existing + " is not a folder";
    }

    private static String refusalOfExisting(Path folder) {
        try {
            Files.delete(Files.createTempDirectory(folder, ".probe"));
            return "";
        } catch (IOException e) {
            return folder + " is not writable";
        }
    }
}
