package dev.rlm.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The files of the pages, as they lie in their module. */
class PageFilesTest {
    private static final Path STATIC = Path.of("src", "main", "resources", "dev", "rlm", "console", "static");
    private static final Pattern IMPORT = Pattern.compile(
            "(?m)^(?:import|export) .*?from\\s*['\"](.+?)['\"]|^import ['\"](.+?)['\"]|from\"(\\./[^\"]+)\"");
    private static final Pattern DANGEROUS = Pattern.compile(
            "innerHTML|outerHTML|insertAdjacentHTML|document\\.write|\\beval\\b|new Function|srcdoc|https?://(?!file\\b)");
    private static final int MOST_LINES = 250;
    private static final int FIRST_PICTURE = 100_000; // bytes, packed
    private static final int ALL = 300_000;

    private static List<String> files() throws IOException {
        try (Stream<Path> files = Files.walk(STATIC)) {
            return files.filter(Files::isRegularFile)
                    .map(file -> STATIC.relativize(file).toString())
                    .filter(name -> !name.equals("files.txt"))
                    .sorted()
                    .toList();
        }
    }

    private static List<String> own() throws IOException {
        return files().stream()
                .filter(name -> name.endsWith(".js") && !name.startsWith("vendor/"))
                .toList();
    }

    @Test
    void table_namesEachFile() throws IOException {
        assertThat(Files.readAllLines(STATIC.resolve("files.txt"))).containsExactlyInAnyOrderElementsOf(files());
    }

    @Test
    void filesOfOthers_areThoseThatTheirTableNames() throws Exception {
        Map<String, String> expected = new HashMap<>();
        for (JsonNode each : new JsonMapper()
                .readTree(Files.readAllBytes(STATIC.resolve("vendor/vendor.json")))
                .get("packages")) {
            assertThat(each.get("integrity").asString()).startsWith("sha512-");
            assertThat(Files.readString(Path.of("..", "..", "THIRD-PARTY.md")))
                    .containsIgnoringCase("| " + each.get("name").asString() + " "
                            + each.get("version").asString());
            each.get("files")
                    .forEachEntry((name, file) ->
                            expected.put(name, file.get("sha256").asString()));
        }
        Map<String, String> found = new HashMap<>();
        for (String name : files()) {
            if (name.startsWith("vendor/") && !name.endsWith("vendor.json")) {
                byte[] hash = MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(STATIC.resolve(name)));
                found.put(name.substring("vendor/".length()), HexFormat.of().formatHex(hash));
            }
        }
        assertThat(found).isEqualTo(expected);
    }

    /** Texts that are not ours become HTML nowhere, and nothing is named that lies elsewhere. */
    @Test
    void noFile_makesHtmlOfTexts_orAsksElsewhere() throws IOException {
        for (String name : own()) {
            assertThat(DANGEROUS
                            .matcher(Files.readString(STATIC.resolve(name)))
                            .results()
                            .map(hit -> hit.group()))
                    .as(name)
                    .isEmpty();
        }
        assertThat(Files.readString(STATIC.resolve("index.html"))).doesNotContain("http", "<style", "onload");
    }

    @Test
    void files_areShort() throws IOException {
        for (String name : own()) {
            assertThat(Files.readAllLines(STATIC.resolve(name))).as(name).hasSizeLessThanOrEqualTo(MOST_LINES);
        }
    }

    @Test
    void bytes_untilTheFirstPicture_andOfAll_areFew() throws IOException {
        Set<String> first = new TreeSet<>(List.of("index.html", "icon.svg", "console.css", "vendor/uplot.css"));
        Deque<String> left = new ArrayDeque<>(List.of("app.js"));
        while (!left.isEmpty()) {
            String name = left.pop();
            if (first.add(name)) {
                left.addAll(imports(name));
            }
        }
        assertThat(first).contains("vendor/preact.js", "pages/run.js");
        assertThat(packed(first)).isLessThan(FIRST_PICTURE);
        assertThat(packed(files())).isLessThan(ALL);
    }

    private static List<String> imports(String name) throws IOException {
        List<String> imports = new ArrayList<>();
        Matcher matcher = IMPORT.matcher(Files.readString(STATIC.resolve(name)));
        while (matcher.find()) {
            String from = Stream.of(matcher.group(1), matcher.group(2), matcher.group(3))
                    .filter(group -> group != null)
                    .findFirst()
                    .orElseThrow();
            Path folder = Path.of(name).getParent();
            imports.add((folder == null ? Path.of(from) : folder.resolve(from))
                    .normalize()
                    .toString());
        }
        return imports;
    }

    private static int packed(Iterable<String> names) throws IOException {
        int size = 0;
        for (String name : names) {
            ByteArrayOutputStream packed = new ByteArrayOutputStream();
            try (GZIPOutputStream gzip = new GZIPOutputStream(packed)) {
                gzip.write(Files.readAllBytes(STATIC.resolve(name)));
            }
            size += packed.size();
        }
        return size;
    }
}
