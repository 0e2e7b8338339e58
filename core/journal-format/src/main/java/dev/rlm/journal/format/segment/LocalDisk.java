package dev.rlm.journal.format.segment;

import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;

/** The disk of this machine. */
final class LocalDisk implements Disk {
    @Override
    public void createFolder(Path folder) throws IOException {
        PrivateFiles.createFolder(folder);
    }

    @Override
    public Lock lock(Path folder) throws IOException {
        return WriterLock.acquire(folder);
    }

    @Override
    public Optional<Lock> takeOver(Path folder, String name) throws IOException {
        return WriterLock.takeOver(folder, name).map(lock -> lock);
    }

    @Override
    public Output create(Path file) throws IOException {
        return open(file, StandardOpenOption.CREATE_NEW);
    }

    @Override
    public Output reopen(Path file) throws IOException {
        return open(file, StandardOpenOption.WRITE);
    }

    private static Output open(Path file, StandardOpenOption how) throws IOException {
        Path folder = file.toAbsolutePath().getParent();
        if (folder != null && Files.isSymbolicLink(folder)) {
            throw new NotDirectoryException(folder + " (a symbolic link)");
        }
        FileChannel channel = PrivateFiles.open(file, how, StandardOpenOption.APPEND);
        try {
            return new LocalFile(file, channel);
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    @Override
    public InputStream read(Path file) throws IOException {
        return Channels.newInputStream(PrivateFiles.open(file, StandardOpenOption.READ));
    }

    @Override
    public void delete(Path file) throws IOException {
        Files.deleteIfExists(file);
    }

    @Override
    public void syncNames(Path folder) throws IOException {
        PrivateFiles.syncFolder(folder);
    }
}
