package dev.rlm.console.browser;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Pictures of pages, made of a training that is recorded for them; {@code -Drlm.screenshots=true} puts them into the documents. */
@Timeout(300)
class ScreenshotsTest {
    private static final Path MADE = Path.of("target", "screenshots");
    private static final Path DOCUMENTS = Path.of("..", "..", "docs", "images");
    private static final int WIDTH = 1280;

    @Test
    void pagesOfATraining_haveTheirPictures(@TempDir Path journal) throws Exception {
        Recorded.into(journal);
        Files.createDirectories(MADE);
        try (Site site = new Site(journal)) {
            String run = site.printed("list", "--train-step=3", "--limit=1", "--json")
                    .replaceFirst("(?s).*?\"run_id\":\"([^\"]+)\".*", "$1");
            Map<String, String> pictures = new LinkedHashMap<>();
            pictures.put("console-overview", "/");
            pictures.put("console-run", "/runs/" + run);
            for (Map.Entry<String, String> picture : pictures.entrySet()) {
                try (Page page = site.open(ColorScheme.LIGHT, WIDTH)) {
                    site.go(page, picture.getValue());
                    Path file = MADE.resolve(picture.getKey() + ".png");
                    page.screenshot(new Page.ScreenshotOptions().setPath(file));
                    assertThat(Files.size(file)).isPositive();
                    keep(file);
                    page.context().close();
                }
            }
            try (Page page = site.openFile(
                    asPage(site.printed("report", "--split=validation").replace(journal.toString(), ".rlm")))) {
                Path file = MADE.resolve("report.png");
                page.screenshot(new Page.ScreenshotOptions().setPath(file).setClip(0, 0, WIDTH, 400));
                keep(file);
                page.context().close();
            }
            assertThat(site.problems()).isEmpty();
        }
    }

    /** Writes a page that shows a text as a terminal does. */
    private static Path asPage(String text) throws IOException {
        return Files.writeString(MADE.resolve("report.html"), """
                <meta charset="utf-8">
                <pre style="font: 13px/1.4 monospace; margin: 16px">%s</pre>
                """.formatted(
                        text.replace("&", "&amp;").replace("<", "&lt;")));
    }

    private static void keep(Path file) throws IOException {
        if (Boolean.getBoolean("rlm.screenshots")) {
            Files.copy(file, DOCUMENTS.resolve(file.getFileName()), StandardCopyOption.REPLACE_EXISTING);
        }
    }
}
