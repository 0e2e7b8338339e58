package dev.rlm.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.SinkConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Consoles that other commands of a user find. */
class OpenConsolesTest {
    private static final String URL = "http://127.0.0.1:4711";

    @TempDir
    private Path folder;

    private Path journal;
    private OpenConsoles consoles;

    @BeforeEach
    void findFolder() throws Exception {
        journal = Files.createDirectory(folder.resolve("journal"));
        consoles = OpenConsoles.of(SinkConfig.of(Map.of("XDG_CACHE_HOME", folder.toString())));
    }

    @Test
    void console_isFoundByItsJournal_whileItIsOpen() throws Exception {
        assertThat(consoles.find(journal)).isEmpty();
        Path link = Files.createSymbolicLink(folder.resolve("link"), journal);
        try (OpenConsoles.Told told = consoles.add(URL, List.of(folder.resolve("other"), journal))) {
            assertThat(consoles.find(journal)).contains(URL);
            assertThat(consoles.find(link)).contains(URL);
            assertThat(consoles.find(folder)).isEmpty();
        }
        assertThat(consoles.find(journal)).isEmpty();
    }

    @Test
    void console_ofAProcessThatHasDied_isForgotten_andAnAddressElsewhereIsNotTold() throws Exception {
        Path view = folder.resolve("rlm/view");
        String told = "journal.0=" + journal.toRealPath() + "\n";
        String start = "start="
                + ProcessHandle.current()
                        .info()
                        .startInstant()
                        .orElseThrow()
                        .toString()
                        .replace(":", "\\:") + "\n";
        Files.createDirectories(view);
        Path dead = Files.writeString(
                view.resolve(ProcessHandle.current().pid() + "-1.properties"),
                told + "start=before\nurl=http\\://127.0.0.1\\:1\n");
        Path elsewhere = Files.writeString(
                view.resolve(ProcessHandle.current().pid() + "-2.properties"),
                told + start + "url=http\\://example.org\\:2\n");

        assertThat(consoles.find(journal)).isEmpty();
        assertThat(dead).doesNotExist();
        assertThat(elsewhere).exists();
    }
}
