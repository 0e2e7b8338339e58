package dev.rlm.benchmarks.redaction;

import dev.rlm.sinks.redaction.Redaction;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.random.RandomGenerator;

/**
 * An example of a kind of secret as {@code forms.txt} documents it; the secret is made up when it is asked for.
 *
 * @param kind what it is found as
 * @param template the example, with placeholders for what is random
 */
record PlantedSecret(String kind, String template) {
    private static final String EXAMPLE = "find";

    /** Reads all examples, in the file's order. */
    static List<PlantedSecret> all() {
        List<PlantedSecret> all = new ArrayList<>();
        for (String paragraph : forms().split("\n\n+", -1)) {
            List<String> lines = paragraph
                    .lines()
                    .map(String::strip)
                    .filter(line -> !line.startsWith("#"))
                    .toList();
            lines.stream()
                    .filter(line -> line.startsWith(EXAMPLE + " "))
                    .map(line -> line.substring(EXAMPLE.length()).strip())
                    .forEach(example -> all.add(new PlantedSecret(lines.get(0), example)));
        }
        return all;
    }

    private static String forms() {
        try (InputStream file = Objects.requireNonNull(Redaction.class.getResourceAsStream("forms.txt"))) {
            return new String(file.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Makes one up: what stands before it, itself, and what stands behind it. */
    List<String> make(RandomGenerator random) {
        String filled = Template.fill(template, random);
        int from = filled.lastIndexOf("<<");
        int to = filled.lastIndexOf(">>");
        return from < 0
                ? List.of("", filled, "")
                : List.of(filled.substring(0, from), filled.substring(from + 2, to), filled.substring(to + 2));
    }
}
