package dev.rlm.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The machine that figures are measured on. */
public final class Machine {
    private static final Path PROCESSORS = Path.of("/proc/cpuinfo");
    private static final String MODEL = "model name";

    private Machine() {}

    /** Cores, processor, operating system and Java in one line. */
    public static String line() {
        return "%d cores (%s), %s, Java %s"
                .formatted(
                        Runtime.getRuntime().availableProcessors(),
                        processor(),
                        System.getProperty("os.name"),
                        Runtime.version());
    }

    private static String processor() {
        try {
            return Files.readAllLines(PROCESSORS).stream()
                    .filter(line -> line.startsWith(MODEL))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .findFirst()
                    .orElse(System.getProperty("os.arch"));
        } catch (IOException e) {
            return System.getProperty("os.arch");
        }
    }
}
