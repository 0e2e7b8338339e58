package dev.rlm.runner.demo;

import dev.rlm.cli.Utf8Input;
import dev.rlm.json.Json;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * Reads a file in GSM8K's format: a JSON object a line, with the question and its solution
 * ({@code {"question": "…", "answer": "… #### 18"}}), or with those of models beside the true one
 * ({@code {"question": "…", "ground_truth": "… A: 18", "some-model": {"solution": "…"}, …}}).
 */
public final class DataSetReader {
    private static final String EXPECTED =
            "a JSON object with \"question\" and either \"answer\" or \"ground_truth\", both texts";

    private final Path file;
    private final String name;
    private final boolean skipBadLines;
    private final List<Problem> problems = new ArrayList<>();
    private final List<String> badLines = new ArrayList<>();

    private DataSetReader(Path file, boolean skipBadLines) {
        this.file = file;
        this.name = file.getFileName() == null
                ? "data"
                : file.getFileName().toString().replaceFirst("(\\.[^.]*)?(\\.gz|\\.zst)?$", "");
        this.skipBadLines = skipBadLines;
    }

    /**
     * Reads the whole file.
     *
     * @param skipBadLines whether to pass over a line that is not as it should be
     */
    public static DataSet read(Path file, boolean skipBadLines) {
        return new DataSetReader(file, skipBadLines).read();
    }

    private DataSet read() {
        byte[] bytes = bytes();
        int number = 1;
        for (int start = 0; start < bytes.length; number++) {
            int end = start;
            while (end < bytes.length && bytes[end] != '\n') {
                end++;
            }
            line(number, ByteBuffer.wrap(bytes, start, end - start));
            start = end + 1;
        }
        if (problems.isEmpty()) {
            throw new DataSetException(
                    badLines.isEmpty()
                            ? file + " is empty: expected " + EXPECTED + ", one a line"
                            : file + " has no good line; the first: " + badLines.get(0));
        }
        return new DataSet(problems, badLines);
    }

    private byte[] bytes() {
        try (InputStream in = Utf8Input.of(Files.newInputStream(file))) {
            return in.readAllBytes();
        } catch (NoSuchFileException e) {
            throw new DataSetException("there is no data set " + file);
        } catch (IOException e) {
            throw new DataSetException("the data set " + file + " cannot be read: " + e.getMessage());
        }
    }

    private void line(int number, ByteBuffer bytes) {
        try {
            String line = StandardCharsets.UTF_8.newDecoder().decode(bytes).toString();
            if (!line.isBlank()) {
                problems.add(problem(number, Json.REPLY.object(line)));
            }
        } catch (CharacterCodingException e) {
            bad(number, "text in UTF-8, found other bytes");
        } catch (JacksonException e) {
            String found =
                    Json.reason(e).replaceFirst("^no ", "the line is no ").replaceFirst("^more ", "there is more ");
            bad(number, EXPECTED + ", found: " + found);
        } catch (BadLine e) {
            bad(number, String.valueOf(e.getMessage()));
        }
    }

    private void bad(int number, String expected) {
        String message = file + ", line " + number + ": expected "
                + expected.lines().findFirst().orElse("");
        if (!skipBadLines) {
            throw new DataSetException(message);
        }
        badLines.add(message);
    }

    private Problem problem(int number, JsonNode line) throws BadLine {
        String question = line.path("question").stringValue(null);
        String answer = line.path("answer").stringValue(null);
        String truth = answer == null ? line.path("ground_truth").stringValue(null) : answer;
        if (question == null || truth == null) {
            throw new BadLine(EXPECTED);
        }
        Map<String, Solution> recorded = answer == null ? recorded(line) : Map.of();
        Solution solution = Solution.parse(truth);
        Rational value = Optional.ofNullable(solution.answer())
                .flatMap(Rational::parse)
                .orElseThrow(() -> new BadLine("a last line '#### number' or 'A: number' in the true solution"));
        return new Problem(name + "-" + number, number, question, solution, value, recorded);
    }

    private static Map<String, Solution> recorded(JsonNode line) throws BadLine {
        Map<String, Solution> recorded = new LinkedHashMap<>();
        for (Map.Entry<String, JsonNode> entry : line.properties()) {
            if (entry.getValue().isObject()) {
                String text = entry.getValue().path("solution").stringValue(null);
                if (text == null) {
                    throw new BadLine("a text \"solution\" in \"" + entry.getKey() + "\"");
                }
                recorded.put(entry.getKey(), Solution.parse(text));
            }
        }
        return recorded;
    }

    private static final class BadLine extends Exception {
        private static final long serialVersionUID = 1;

        BadLine(String expected) {
            super(expected);
        }
    }
}
