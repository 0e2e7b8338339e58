package dev.rlm.sinks;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

/**
 * Folders whose files of settings may say where keys go and what code is loaded, since the user has said so once. They stand in
 * {@code rlm/trusted} of the user's configuration folder ({@code XDG_CONFIG_HOME}, else {@code ~/.config}), a line each.
 */
public final class TrustedFolders {
    private TrustedFolders() {}

    /** Returns the file in which they stand. */
    public static Path file() {
        String configured = System.getenv().getOrDefault("XDG_CONFIG_HOME", "");
        Path home = configured.isBlank() ? Path.of(System.getProperty("user.home"), ".config") : Path.of(configured);
        return home.resolve("rlm").resolve("trusted");
    }

    /** Returns whether the folder, or one that it lies in, is trusted; not where that cannot be told. */
    public static boolean contains(Path folder) {
        try {
            Path real = folder.toRealPath();
            return Files.exists(file())
                    && Files.readAllLines(file()).stream()
                            .filter(line -> !line.isBlank())
                            .anyMatch(line -> real.startsWith(Path.of(line)));
        } catch (IOException | IllegalArgumentException e) {
            return false;
        }
    }

    /**
     * Trusts a folder from now on.
     *
     * @return its place without links
     */
    public static Path add(Path folder) throws IOException {
        Path real = folder.toRealPath();
        if (!contains(real)) {
            Files.createDirectories(file().getParent());
            Files.write(
                    file(),
                    List.of(real.toString()),
                    StandardCharsets.UTF_8,
                    StandardOpenOption.CREATE,
                    StandardOpenOption.APPEND);
        }
        return real;
    }
}
