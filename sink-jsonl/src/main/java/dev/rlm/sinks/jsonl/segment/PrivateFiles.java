package dev.rlm.sinks.jsonl.segment;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** Files and folders that only their owner may read, as far as the file system knows owners. */
public final class PrivateFiles {
    private static final FileAttribute<?>[] NONE = {};

    private PrivateFiles() {}

    /** Opens a file, made if the options say so. */
    public static FileChannel open(Path file, OpenOption... options) throws IOException {
        return FileChannel.open(file, Set.of(options), permissions(file, "rw-------"));
    }

    /** Makes a folder and those above it, where they are not there yet. */
    public static void createFolder(Path folder) throws IOException {
        Files.createDirectories(folder, permissions(folder, "rwx------"));
    }

    private static FileAttribute<?>[] permissions(Path path, String permissions) {
        return path.getFileSystem().supportedFileAttributeViews().contains("posix")
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))
                }
                : NONE;
    }

    /** Makes the file's name, and that of its folder, survive a loss of power, where folders can be synced. */
    public static void syncNames(Path file) {
        Path folder = file.getParent();
        for (int i = 0; i < 2 && folder != null; i++) {
            try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
                channel.force(true);
            } catch (IOException e) {
                return; // Windows opens no folders, and keeps names safe itself
            }
            folder = folder.getParent();
        }
    }

    /**
     * Why a folder can neither be written to nor made; empty where it can. Found out by making something there and taking
     * it away again: what permissions say is not all.
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
