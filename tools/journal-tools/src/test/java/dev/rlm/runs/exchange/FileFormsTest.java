package dev.rlm.runs.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.testkit.Cli;
import dev.rlm.sinks.event.RunEvent;
import io.airlift.compress.zstd.ZstdOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Files that {@code rlm import} reads whatever their encoding, compression and layout. */
@Timeout(180)
class FileFormsTest {
    private static final String LINES = """
            {"run_id":"one","messages":[{"role":"user","content":"Größe 😀?"},{"role":"assistant","content":"a"}]}\r
            {"run_id":"two","messages":[{"role":"user","content":"x"},{"role":"assistant","content":"b"}]}\r
            """;

    @TempDir
    private Path folder;

    private Imports imports;

    @BeforeEach
    void chooseJournal() {
        imports = new Imports(folder, "chat");
    }

    private static byte[] packed(String compression, byte[] bytes) throws IOException {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (OutputStream out = compression.equals("gzip")
                ? new GZIPOutputStream(packed)
                : compression.equals("zstd") ? new ZstdOutputStream(packed) : packed) {
            out.write(bytes);
        }
        return packed.toByteArray();
    }

    @ParameterizedTest
    @CsvSource({
        "UTF-8, true, none",
        "UTF-16LE, true, none",
        "UTF-16BE, true, none",
        "UTF-16LE, false, none",
        "UTF-16BE, false, none",
        "UTF-32LE, true, none",
        "UTF-32BE, false, none",
        "UTF-8, false, gzip",
        "UTF-8, true, zstd",
        "UTF-16LE, true, gzip",
        "UTF-16BE, false, zstd",
    })
    void encodingAndCompression_areThoseThatTheBytesTell(String charset, boolean marked, String compression)
            throws IOException {
        String text = (marked ? "\uFEFF" : "") + LINES.repeat(1) + " ".repeat(20_000) + LINES.replace("one", "three");
        Path file = folder.resolve("runs.jsonl");
        Files.write(file, packed(compression, text.getBytes(Charset.forName(charset))));

        assertThat(imports.whole(file).out()).startsWith("imported 3 runs\n");

        assertThat(imports.events(imports.runs().get(0), RunEvent.class)
                        .get(0)
                        .run()
                        .task())
                .hasToString("Größe 😀?");
        try (InputStream in = Files.newInputStream(file)) {
            assertThat(imports.exchange().run(in, "import", "-").out()).startsWith("imported 0 runs\nleft out 4 runs");
        }
    }

    @Test
    void compressedFiles_areReadOfAFolder_andSoAreAllPartsOfOne() throws IOException {
        String[] lines = LINES.split("(?<=\n)");
        ByteArrayOutputStream parts = new ByteArrayOutputStream();
        parts.write(packed("gzip", lines[0].getBytes(Charset.forName("UTF-8"))));
        parts.write(packed("gzip", lines[1].getBytes(Charset.forName("UTF-8"))));
        Path runs = Files.createDirectory(folder.resolve("runs"));
        Files.write(runs.resolve("a.jsonl.gz"), parts.toByteArray());
        Files.write(
                runs.resolve("b.jsonl.zst"),
                packed("zstd", lines[0].replace("one", "three").getBytes(Charset.forName("UTF-8"))));

        assertThat(imports.whole(runs).out()).startsWith("imported 3 runs\n");
    }

    @Test
    void compressionThatIsDamaged_isTold_andWhatCameBeforeStays() throws IOException {
        for (String compression : new String[] {"gzip", "zstd"}) {
            byte[] whole = packed(compression, LINES.getBytes(Charset.forName("UTF-8")));
            Path file = Files.write(folder.resolve("cut.jsonl"), Arrays.copyOf(whole, whole.length - 9));
            Cli imported = imports.run(file);
            assertThat(imported.exitCode()).isEqualTo(1);
            assertThat(imported.err())
                    .contains("cut.jsonl cannot be read: ")
                    .doesNotContain("zip archive", "Exception");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"fd377a585a0000", "425a6839314159", "04224d18604070", "377abcaf271c00"})
    void otherCompression_isRefusedAsSuch(String begin) throws IOException {
        Path file = Files.write(folder.resolve("runs.jsonl"), HexFormat.of().parseHex(begin));

        assertThat(imports.run(file).err())
                .contains("runs.jsonl cannot be read: it is ", "expected a text, plain or compressed by gzip or zstd");
    }

    @Test
    void objectsOfSeveralLines_areDocuments_oneBehindTheOther() throws IOException {
        String document = """
                {
                  "run_id": "%s",

                  "messages": [
                    {"role": "user", "content": "a } \\" ["},
                    {"role": "assistant", "content": "a"}
                  ]
                }
                """;
        Path file = imports.write("chat.json", document.formatted("one") + document.formatted("two"));

        assertThat(imports.whole(file).out()).startsWith("imported 2 runs\n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"messages\":[{\"role\":\"user\",\"content\":\"cut o",
                "{\"messages\":[{\"role\":\"user\"}",
                "{\"messages\":[\n  {\"role\":\"user\"}\n",
            })
    void firstObjectThatDoesNotEnd_isBad_andTheLinesBehindItAreRead(String begin) throws IOException {
        Path file = imports.write("cut.jsonl", begin + "\n" + LINES);

        assertThat(imports.run(file).err())
                .contains("cut.jsonl, line 1: expected a JSON object, found: the beginning of one")
                .doesNotContain("Source", "end-of-input");
        assertThat(imports.run(file, "--skip-bad-lines").out()).startsWith("imported 2 runs\n");
    }
}
