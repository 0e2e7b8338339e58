package dev.rlm.benchmarks.soak;

import com.sun.management.UnixOperatingSystemMXBean;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * Resources that the process holds at a moment of rest.
 *
 * @param seconds since the start
 * @param heap bytes in use after a collection
 * @param threads that live
 * @param descriptors files and sockets that are open; 0 where the system does not tell
 * @param disk bytes of the journal
 */
record Sample(double seconds, long heap, int threads, long descriptors, long disk) {
    private static final int COLLECTIONS = 3; // so that what finalizers and cleaners let go is gone, too

    static Sample take(double seconds, Path journal) {
        for (int i = 0; i < COLLECTIONS; i++) {
            System.gc();
        }
        return new Sample(
                seconds,
                ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed(),
                ManagementFactory.getThreadMXBean().getThreadCount(),
                descriptorsOpen(),
                bytes(journal));
    }

    private static long descriptorsOpen() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system
                ? system.getOpenFileDescriptorCount()
                : 0;
    }

    private static long bytes(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(Files::isRegularFile).mapToLong(Sample::size).sum();
        } catch (IOException | UncheckedIOException e) {
            return 0; // what is deleted meanwhile; the next sample tells
        }
    }

    private static long size(Path file) {
        try {
            return Files.size(file);
        } catch (NoSuchFileException e) {
            return 0;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
