package dev.rlm.runner.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DataSetReaderTest {
    private static final String GOOD = """
            {"question": "What is 2 and 3?", "answer": "It is <<2+3=5>>5.\\n#### 5"}
            """;

    @TempDir
    private Path folder;

    private Path file;

    @BeforeEach
    void nameFile() {
        file = folder.resolve("sums.jsonl");
    }

    @Test
    void question_withItsSolution_isAProblem() throws Exception {
        Files.writeString(file, "\n" + GOOD);

        assertThat(DataSetReader.read(file, false).problems()).singleElement().satisfies(problem -> {
            assertThat(problem.id()).isEqualTo("sums-2");
            assertThat(problem.row()).isEqualTo(2);
            assertThat(problem.question()).isEqualTo("What is 2 and 3?");
            assertThat(problem.solution().calls()).containsExactly(new Solution.Call("It is <<2+3=5>>", "2+3", "5"));
            assertThat(problem.answer()).hasToString("5");
            assertThat(problem.recorded()).isEmpty();
        });
    }

    @Test
    void byteOrderMark_isPassedOver() throws Exception {
        Files.writeString(file, "\uFEFF" + GOOD);

        assertThat(DataSetReader.read(file, false).problems()).hasSize(1);
    }

    @Test
    void compressedFile_ofAnotherEncoding_isRead() throws Exception {
        file = folder.resolve("sums.jsonl.gz");
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(file))) {
            out.write(("\uFEFF" + GOOD).getBytes(StandardCharsets.UTF_16LE));
        }

        assertThat(DataSetReader.read(file, false).problems())
                .extracting(Problem::id)
                .containsExactly("sums-1");
    }

    @Test
    void question_withSolutionsOfModels_keepsTheirOrder() throws Exception {
        Files.writeString(file, """
                {"question": "?", "ground_truth": "A: 1,000", \
                "z": {"is_correct": false, "solution": "A: 1"}, "a": {"is_correct": true, "solution": "A: 1000"}}
                """);

        assertThat(DataSetReader.read(file, false).problems()).singleElement().satisfies(problem -> {
            assertThat(problem.answer()).hasToString("1000");
            assertThat(problem.recorded().keySet()).containsExactly("z", "a");
        });
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{\"question\" | found: Unexpected end",
                "[1] | found: the line is no JSON object",
                "{} {} | found: there is more after the JSON object",
                "{\"question\": 3, \"answer\": \"#### 3\"} | expected a JSON object with \"question\"",
                "{\"question\": \"?\"} | expected a JSON object with \"question\"",
                "{\"question\": \"?\", \"answer\": \"three\"} | expected a last line '#### number'",
                "{\"question\": \"?\", \"ground_truth\": \"A: 3\", \"m\": {}} | expected a text \"solution\" in \"m\"",
            })
    void badLine_isNamedWithWhatWasExpected(String line, String message) throws Exception {
        Files.writeString(file, GOOD + line + "\n" + GOOD);

        assertThatThrownBy(() -> DataSetReader.read(file, false))
                .isInstanceOf(DataSetException.class)
                .hasMessageStartingWith(file + ", line 2: expected ")
                .hasMessageContaining(message)
                .hasMessageNotContaining("\n");
        DataSet data = DataSetReader.read(file, true);
        assertThat(data.problems()).hasSize(2);
        assertThat(data.badLines()).singleElement().asString().contains(message);
    }

    @Test
    void bytesThatAreNoText_areABadLine() throws IOException {
        Files.write(file, "{\"question\": \"M\u00e4rz\"}".getBytes(StandardCharsets.ISO_8859_1));

        assertThatThrownBy(() -> DataSetReader.read(file, false))
                .hasMessageContaining("line 1: expected text in UTF-8");
    }

    @Test
    void fileWithoutProblems_isRefused() throws IOException {
        assertThatThrownBy(() -> DataSetReader.read(file, true)).hasMessage("there is no data set " + file);
        assertThatThrownBy(() -> DataSetReader.read(folder, true)).hasMessageContaining("cannot be read");
        Files.writeString(file, "\n");
        assertThatThrownBy(() -> DataSetReader.read(file, true)).hasMessageContaining("is empty: expected");
        Files.writeString(file, "x\n");
        assertThatThrownBy(() -> DataSetReader.read(file, true)).hasMessageContaining("has no good line; the first");
    }
}
