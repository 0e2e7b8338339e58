package dev.rlm.benchmarks.redaction;

import dev.rlm.benchmarks.figure.Sample;
import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.redaction.Redaction;
import dev.rlm.sinks.redaction.RedactionOptions;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/**
 * Marks in texts that hold no secret, for each million characters, in all and by kind: in lines of {@code ordinary.txt},
 * which look like secrets as far as ordinary lines do, amid other ordinary text; or in the texts of files.
 */
final class FalseMarks {
    static final String ALL = "marks/MB";
    static final String MEGABYTES = "MB";

    /** Name of the variable that names files of ordinary texts: JSON lines, whose strings are the texts, or plain ones. */
    static final String FILES = "ORDINARY_TEXTS";

    private static final double MEGABYTE = 1e6;
    private static final int BUILT_IN = 4_000_000; // characters
    private static final long SEED = 20_261_123;
    private static final JsonFactory JSON = new JsonFactory();

    private final Redaction redaction = new Redaction(RedactionOptions.of(true, Set.of(), List.of()));
    private long length;

    private FalseMarks() {}

    /** In the files, or in the lines that are built in where there are none. */
    public static void main(String[] files) throws IOException {
        measure(List.of(files)).print();
    }

    /** Returns the files that the variable names. */
    static List<String> files() {
        @Nullable String files = System.getenv(FILES);
        return files == null || files.isBlank() ? List.of() : List.of(files.split(File.pathSeparator, -1));
    }

    static Sample measure(List<String> files) throws IOException {
        FalseMarks marks = new FalseMarks();
        if (files.isEmpty()) {
            marks.addBuiltIn();
        }
        for (String file : files) {
            marks.add(Path.of(file));
        }
        return marks.sample();
    }

    private void addBuiltIn() {
        RandomGenerator random = new SplittableRandom(SEED);
        List<String> lines = lines();
        while (length < BUILT_IN) {
            for (Kind kind : Kind.values()) {
                if (kind.isOrdinary()) {
                    add(kind.text(random.nextLong()));
                }
            }
            for (int i = 0; i < Kind.values().length; i++) {
                StringBuilder text = new StringBuilder();
                while (text.length() < Kind.LENGTH) {
                    text.append(Template.fill(lines.get(random.nextInt(lines.size())), random))
                            .append('\n');
                }
                add(text.toString());
            }
        }
    }

    private static List<String> lines() {
        try (InputStream file = Objects.requireNonNull(FalseMarks.class.getResourceAsStream("ordinary.txt"))) {
            return new String(file.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.isBlank())
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void add(Path file) throws IOException {
        String text = Files.readString(file);
        if (!file.toString().endsWith(".jsonl")) {
            add(text);
            return;
        }
        try (JsonParser parser = JSON.createParser(ObjectReadContext.empty(), text)) {
            for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
                if (token == JsonToken.VALUE_STRING) {
                    add(parser.getString());
                }
            }
        }
    }

    private void add(String text) {
        length += text.length();
        if (redaction.text(text).equals(Content.FAILED)) {
            throw new IllegalStateException("a text could not be redacted");
        }
    }

    private Sample sample() {
        Map<String, Double> values = new TreeMap<>();
        long all = 0;
        for (Map.Entry<String, Long> found : redaction.counts().secrets().entrySet()) {
            values.put(found.getKey() + "/MB", found.getValue() * MEGABYTE / length);
            all += found.getValue();
        }
        values.put(ALL, all * MEGABYTE / length);
        values.put(MEGABYTES, length / MEGABYTE);
        return new Sample(values);
    }
}
