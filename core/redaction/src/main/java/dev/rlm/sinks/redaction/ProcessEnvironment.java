package dev.rlm.sinks.redaction;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.BiConsumer;

/**
 * This process's environment in UTF-8, where the system tells it as bytes. Java reads it in the locale's character set: in
 * the locale {@code C} a password with an umlaut is then another than the one that a program prints.
 */
final class ProcessEnvironment {
    private static final Path LINUX = Path.of("/proc/self/environ");

    private ProcessEnvironment() {}

    /** Hands over names and values; none where the system does not tell. */
    static void forEach(BiConsumer<String, String> variable) {
        for (String entry : read().split("\0", -1)) {
            int name = entry.indexOf('=');
            if (name > 0) {
                variable.accept(entry.substring(0, name), entry.substring(name + 1));
            }
        }
    }

    private static String read() {
        try {
            return Files.isReadable(LINUX) ? new String(Files.readAllBytes(LINUX), StandardCharsets.UTF_8) : "";
        } catch (IOException | SecurityException e) {
            return "";
        }
    }
}
